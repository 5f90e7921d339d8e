package identity

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
)

func TestAPasswordFitsItsHashAndNoOther(t *testing.T) {
	p := NewPasswords(3)
	value := secrets.NewValue("correct horse battery")
	hash, err := p.Hash(t.Context(), value)
	if err != nil || !strings.HasPrefix(hash, "pbkdf2-sha256$3$") || strings.Contains(hash, "horse") {
		t.Fatalf("hash %q, %v", hash, err)
	}
	if again, _ := p.Hash(t.Context(), value); again == hash {
		t.Error("two hashes of one password are the same")
	}
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterx": false, "": false, "Correct horse battery": false} {
		if fits, err := NewPasswords(5).Verify(t.Context(), hash, secrets.NewValue(password)); err != nil || fits != want {
			t.Errorf("%q fits: %t, %v", password, fits, err)
		}
	}
	for _, damaged := range []string{"x", "pbkdf2-sha256$3$only", "pbkdf2-sha256$0$YQ$YQ", "pbkdf2-sha256$x$YQ$YQ", "pbkdf2-sha256$3$!$YQ", "md5$3$YQ$YQ"} {
		if fits, err := p.Verify(t.Context(), damaged, value); err == nil || fits || strings.Contains(err.Error(), "$") {
			t.Errorf("%q: %t, %v", damaged, fits, err)
		}
	}
}

// TestKnownVector is from RFC 7914, section 11: PBKDF2-HMAC-SHA256 of "passwd" with salt "salt", one round.
func TestKnownVector(t *testing.T) {
	got, err := NewPasswords(1).derive(t.Context(), secrets.NewValue("passwd"), []byte("salt"), 1)
	const want = "\x55\xac\x04\x6e\x56\xe3\x08\x9f\xec\x16\x91\xc2\x25\x44\xb6\x05\xf9\x41\x85\x21\x6d\xde\x04\x65\xe6\x8b\x9d\x57\xc2\x0d\xac\xbc"
	if err != nil || string(got) != want {
		t.Errorf("%x, %v", got, err)
	}
}

func TestNobodysPasswordFitsNothing(t *testing.T) {
	p := NewPasswords(1)
	for _, password := range []string{"", "nobody", p.nobody} {
		if fits, err := p.Verify(t.Context(), "", secrets.NewValue(password)); fits || err != nil {
			t.Errorf("%q: %t, %v", password, fits, err)
		}
	}
}

// TestNobodyCostsAsMuchAsSomebody. (A5) Without the work, nobody would be a thousand times faster.
func TestNobodyCostsAsMuchAsSomebody(t *testing.T) {
	p := NewPasswords(20_000)
	hash, err := p.Hash(t.Context(), secrets.NewValue("correct horse battery"))
	if err != nil {
		t.Fatal(err)
	}
	fastest := func(hash string) time.Duration {
		best := time.Hour
		for range 9 {
			began := time.Now()
			p.Verify(t.Context(), hash, secrets.NewValue("wrong"))
			best = min(best, time.Since(began))
		}
		return best
	}
	known, unknown := fastest(hash), fastest("")
	if unknown < known/4 || known < unknown/4 {
		t.Errorf("a known user takes %v, an unknown one %v", known, unknown)
	}
}

func TestFewPasswordsAreWorkedOnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPasswords(1)
		for range atOnce {
			p.slots <- struct{}{} // as if each were being worked on
		}
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for range mayQueue {
			waiting.Go(func() {
				if _, err := p.Hash(ctx, secrets.NewValue("x")); err != context.Canceled {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.Hash(t.Context(), secrets.NewValue("x")); fault.CodeOf(err) != "auth.busy" || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("one too many: %v", err)
		}
		cancel()
		waiting.Wait()
		for range atOnce {
			<-p.slots
		}
		if _, err := p.Hash(t.Context(), secrets.NewValue("x")); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestPasswordRule(t *testing.T) {
	for name, c := range map[string]struct {
		password string
		good     bool
	}{
		"eleven bytes":            {strings.Repeat("x", 11), false},
		"twelve bytes":            {strings.Repeat("x", 12), true},
		"256 bytes":               {strings.Repeat("x", 256), true},
		"257 bytes":               {strings.Repeat("x", 257), false},
		"the address":             {"ada@example.org", false},
		"the address, in capital": {"ADA@example.org ", false},
		"with the address in it":  {"ada@example.org!", true},
		"nothing":                 {"", false},
		"in any script":           {"пароль ключ", true},
	} {
		if bad := checkPassword(nil, secrets.NewValue(c.password), "ada@example.org"); (len(bad) == 0) != c.good {
			t.Errorf("%s: %v", name, bad)
		}
	}
}
