package seal_test

import (
	"bytes"
	"strings"
	"testing"

	"berth/core/seal"
)

var purposes = []seal.Purpose{seal.PurposeField, seal.PurposeAPIKey, seal.PurposeSession, seal.PurposeWorker, seal.PurposeOAuthState,
	seal.PurposeBackup, seal.PurposeTLS, seal.PurposeHub, seal.PurposeFingerprint, seal.PurposeCheck}

func TestMACIsBoundToPurposeMessageAndRing(t *testing.T) {
	ring := mustRing(t)
	mac := ring.MAC(seal.PurposeSession, []byte("cookie"))
	if len(mac) != 32 || !ring.VerifyMAC(seal.PurposeSession, []byte("cookie"), mac) {
		t.Fatalf("the own MAC %x is refused", mac)
	}
	cases := map[string]bool{
		"another purpose": ring.VerifyMAC(seal.PurposeWorker, []byte("cookie"), mac),
		"another message": ring.VerifyMAC(seal.PurposeSession, []byte("cookies"), mac),
		"cut short":       ring.VerifyMAC(seal.PurposeSession, []byte("cookie"), mac[:31]),
		"nothing":         ring.VerifyMAC(seal.PurposeSession, []byte("cookie"), nil),
		"another ring":    mustRing(t).VerifyMAC(seal.PurposeSession, []byte("cookie"), mac),
		"no purpose":      ring.VerifyMAC(seal.Purpose(200), []byte("cookie"), ring.MAC(seal.Purpose(200), []byte("cookie"))),
	}
	for name, accepted := range cases {
		if accepted {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestKeyedValuesOutliveRotation(t *testing.T) {
	ring := mustRing(t)
	rewrapped, err := seal.OpenRing(mustKey(t, otherText), mustWrap(t, mustAddKey(t, ring), mustKey(t, otherText)))
	if err != nil {
		t.Fatal(err)
	}
	for _, purpose := range purposes {
		if !bytes.Equal(ring.MAC(purpose, []byte("m")), rewrapped.MAC(purpose, []byte("m"))) ||
			!bytes.Equal(ring.Subkey(purpose), rewrapped.Subkey(purpose)) {
			t.Errorf("%v: changed", purpose)
		}
	}
	if ring.Fingerprint("a", "b") != rewrapped.Fingerprint("a", "b") {
		t.Error("the fingerprint changed")
	}
}

func TestSubkeysAreAllDifferent(t *testing.T) {
	ring, seen := mustRing(t), map[string]string{}
	note := func(what string, key []byte) {
		if len(key) != 32 || seen[string(key)] != "" {
			t.Errorf("%s: %d bytes, the same as %q", what, len(key), seen[string(key)])
		}
		seen[string(key)] = what
	}
	for _, purpose := range purposes {
		if purpose.String() == "unknown" {
			t.Errorf("purpose %d has no name", purpose)
		}
		note("subkey "+purpose.String(), ring.Subkey(purpose))
		note("mac "+purpose.String(), ring.MAC(purpose, nil))
	}
	copied := ring.Subkey(seal.PurposeHub)
	copied[0] ^= 1
	if bytes.Equal(copied, ring.Subkey(seal.PurposeHub)) {
		t.Error("Subkey hands out its own memory")
	}
	if ring.Subkey(seal.Purpose(200)) != nil || seal.Purpose(200).String() != "unknown" {
		t.Error("a purpose that is none has a subkey or a name")
	}
}

func TestFingerprint(t *testing.T) {
	ring := mustRing(t)
	print := ring.Fingerprint("stack", "DB_PASSWORD", "hunter2")
	if len(print) != 32 || strings.ToLower(print) != print {
		t.Errorf("fingerprint %q", print)
	}
	if print != ring.Fingerprint("stack", "DB_PASSWORD", "hunter2") {
		t.Error("the same parts give another fingerprint")
	}
	others := map[string]string{
		"another value":       ring.Fingerprint("stack", "DB_PASSWORD", "hunter3"),
		"a moved border":      ring.Fingerprint("stack", "DB_PASSWORDh", "unter2"),
		"another split":       ring.Fingerprint("stack", "DB_PASSWORD", "hunter", "2"),
		"another ring":        mustRing(t).Fingerprint("stack", "DB_PASSWORD", "hunter2"),
		"nothing":             ring.Fingerprint(),
		"one part of nothing": ring.Fingerprint(""),
	}
	seen := map[string]string{print: "the first"}
	for name, other := range others {
		if seen[other] != "" {
			t.Errorf("%s is like %s", name, seen[other])
		}
		seen[other] = name
	}
}
