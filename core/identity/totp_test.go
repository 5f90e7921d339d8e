package identity

import (
	"testing"
	"time"
)

// TestCodesAreThoseOfTheStandard: RFC 6238, appendix B, the last six of the eight digits there.
func TestCodesAreThoseOfTheStandard(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := totpCode(secret, at/totpPeriod); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// TestAClockMayBeOffByOneStep and by no more.
func TestAClockMayBeOffByOneStep(t *testing.T) {
	secret, now := []byte("12345678901234567890"), time.Unix(1111111111, 0)
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		step := now.Unix()/totpPeriod + off
		if got, fits := totpMatch(secret, totpCode(secret, step), now); fits != want || fits && got != step {
			t.Errorf("%d steps off: %t, step %d of %d", off, fits, got, step)
		}
	}
	for _, code := range []string{"", "0", "05047", "0504711", "abcdef", "050 471"} {
		if _, fits := totpMatch(secret, code, now); fits {
			t.Errorf("%q fits", code)
		}
	}
}

func TestACodeMayBeTypedAsItIsShown(t *testing.T) {
	for typed, want := range map[string]string{" 050 471 ": "050471", "050-471": "050471", "ABCDE-FGHJK": "abcdefghjk", "": ""} {
		if got := plainCode(typed); got != want {
			t.Errorf("%q is read as %q", typed, got)
		}
	}
}

func TestTheAddressIsOneThatAppsRead(t *testing.T) {
	want := "otpauth://totp/Berth:ada@example.org?algorithm=SHA1&digits=6&issuer=Berth&period=30&secret=ABC"
	if got := totpAddress("Berth", "ada@example.org", "ABC"); got != want {
		t.Errorf("%s", got)
	}
}
