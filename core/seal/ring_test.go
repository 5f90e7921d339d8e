package seal_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"berth/core/seal"
)

func mustRing(t testing.TB) *seal.Ring {
	t.Helper()
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatalf("NewRing: %v", err)
	}
	return ring
}

func mustWrap(t testing.TB, ring *seal.Ring, key seal.SecretKey) []seal.WrappedKey {
	t.Helper()
	rows, err := ring.Wrap(key)
	if err != nil {
		t.Fatalf("Wrap: %v", err)
	}
	return rows
}

func mustAddKey(t testing.TB, ring *seal.Ring) *seal.Ring {
	t.Helper()
	newer, err := ring.AddKey()
	if err != nil {
		t.Fatalf("AddKey: %v", err)
	}
	return newer
}

func TestNewRingNeedsRandomBytes(t *testing.T) {
	if _, err := seal.NewRing(strings.NewReader("too short")); err == nil {
		t.Error("a ring was made of 9 bytes")
	}
}

func TestRingSurvivesWrapping(t *testing.T) {
	key, ring := mustKey(t, keyText), mustAddKey(t, mustRing(t))
	sealed := mustSeal(t, ring, place, "value")
	rows := mustWrap(t, ring, key)
	if len(rows) != 2 || rows[0].Number != 1 || rows[1].Number != 2 || rows[0].Active || !rows[1].Active {
		t.Fatalf("rows are %+v", rows)
	}
	opened, err := seal.OpenRing(key, []seal.WrappedKey{rows[1], rows[0]})
	if err != nil {
		t.Fatal(err)
	}
	mustOpen(t, opened, place, sealed, "value")
	again := mustWrap(t, ring, key)
	if bytes.Equal(rows[0].Wrapped, again[0].Wrapped) {
		t.Error("wrapping twice gave the same bytes: the nonce is not random")
	}
}

func TestWrongKeyNamesBothCheckValues(t *testing.T) {
	key, other := mustKey(t, keyText), mustKey(t, otherText)
	rows := mustWrap(t, mustRing(t), key)
	for name, wrong := range map[string]seal.SecretKey{"another key": other, "no key": {}} {
		t.Run(name, func(t *testing.T) {
			_, err := seal.OpenRing(wrong, rows)
			var detail *seal.WrongKeyError
			if !errors.Is(err, seal.ErrWrongKey) || errors.Is(err, seal.ErrRing) || !errors.As(err, &detail) {
				t.Fatalf("got %v", err)
			}
			if detail.Given != wrong.CheckValue() || detail.Stored != key.CheckValue() {
				t.Errorf("given %q, stored %q", detail.Given, detail.Stored)
			}
			if !strings.Contains(err.Error(), key.CheckValue()) || !strings.Contains(err.Error(), wrong.CheckValue()) {
				t.Errorf("the text lacks a check value: %v", err)
			}
		})
	}
	if _, err := mustRing(t).Wrap(seal.SecretKey{}); err == nil {
		t.Error("a ring was wrapped under no key")
	}
}

func TestOpenRingRefusesDamage(t *testing.T) {
	key := mustKey(t, keyText)
	ring := mustAddKey(t, mustAddKey(t, mustRing(t)))
	cases := map[string]func(rows []seal.WrappedKey) []seal.WrappedKey{
		"no rows":           func(rows []seal.WrappedKey) []seal.WrappedKey { return nil },
		"far too many rows": func(rows []seal.WrappedKey) []seal.WrappedKey { return make([]seal.WrappedKey, 5000) },
		"the first missing": func(rows []seal.WrappedKey) []seal.WrappedKey { return rows[1:] },
		"one missing":       func(rows []seal.WrappedKey) []seal.WrappedKey { return append(rows[:1:1], rows[2]) },
		"a row twice":       func(rows []seal.WrappedKey) []seal.WrappedKey { rows[1] = rows[0]; return rows },
		"number nought":     func(rows []seal.WrappedKey) []seal.WrappedKey { rows[0].Number = 0; return rows },
		"none active":       func(rows []seal.WrappedKey) []seal.WrappedKey { rows[2].Active = false; return rows },
		"two active":        func(rows []seal.WrappedKey) []seal.WrappedKey { rows[0].Active = true; return rows },
		"empty blob":        func(rows []seal.WrappedKey) []seal.WrappedKey { rows[0].Wrapped = nil; return rows },
		"blob cut short": func(rows []seal.WrappedKey) []seal.WrappedKey {
			rows[0].Wrapped = rows[0].Wrapped[:40]
			return rows
		},
		"another version": func(rows []seal.WrappedKey) []seal.WrappedKey { rows[0].Wrapped[0] = 2; return rows },
		"a changed bit": func(rows []seal.WrappedKey) []seal.WrappedKey {
			rows[0].Wrapped[len(rows[0].Wrapped)-1] ^= 1
			return rows
		},
		"two keys swapped": func(rows []seal.WrappedKey) []seal.WrappedKey {
			rows[0].Wrapped, rows[1].Wrapped = rows[1].Wrapped, rows[0].Wrapped
			return rows
		},
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := seal.OpenRing(key, damage(mustWrap(t, ring, key)))
			if !errors.Is(err, seal.ErrRing) || errors.Is(err, seal.ErrWrongKey) {
				t.Fatalf("got %v, want ErrRing", err)
			}
		})
	}
}

func TestAddKeyLeavesTheRingAlone(t *testing.T) {
	ring := mustRing(t)
	old := mustSeal(t, ring, place, "before")
	newer := mustAddKey(t, ring)
	if ring.Stale(old) || !newer.Stale(old) {
		t.Error("AddKey changed the ring that it was called on, or not the one that it returned")
	}
	mustOpen(t, newer, place, old, "before")
	fresh := mustSeal(t, newer, place, "after")
	if _, err := ring.Open(place, fresh); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("an envelope of an unknown data key gave %v", err)
	}
	if err := ring.Adopt(newer); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, ring, place, fresh, "after")
	mustOpen(t, ring, place, old, "before")
	if !ring.Stale(old) || ring.Stale(fresh) {
		t.Error("after Adopt the wrong envelope is stale")
	}
	if ring.Stale(nil) || !ring.Stale(seal.Sealed("plain text that got into the column")) {
		t.Error("an empty column is stale, or damage is not")
	}
}

func TestAdoptRefusesARingThatLacksKeys(t *testing.T) {
	ring := mustRing(t)
	older, newer, sibling := mustAddKey(t, ring), mustAddKey(t, ring), mustRing(t)
	if err := ring.Adopt(newer); err != nil {
		t.Fatal(err)
	}
	for name, lacking := range map[string]*seal.Ring{"another installation": sibling, "another second key": older} {
		if err := ring.Adopt(lacking); !errors.Is(err, seal.ErrRing) {
			t.Errorf("%s: got %v, want ErrRing", name, err)
		}
	}
	if err := ring.Adopt(newer); err != nil {
		t.Errorf("adopting the same ring again: %v", err)
	}
}

func TestUnlock(t *testing.T) {
	key, previous := mustKey(t, keyText), mustKey(t, otherText)
	third := mustKey(t, strings.Repeat("3a", 2)+keyText[4:])
	ring := mustAddKey(t, mustRing(t))
	sealed, mac := mustSeal(t, ring, place, "canary"), ring.MAC(seal.PurposeAPIKey, []byte("key"))
	cases := map[string]struct {
		under, key, previous seal.SecretKey
		rewrapped            bool
		want                 error
	}{
		"the key fits":                       {under: key, key: key},
		"the key fits, a previous one given": {under: key, key: key, previous: previous},
		"the previous key fits":              {under: previous, key: key, previous: previous, rewrapped: true},
		"the key is wrong":                   {under: previous, key: key, want: seal.ErrWrongKey},
		"both are wrong":                     {under: third, key: key, previous: previous, want: seal.ErrWrongKey},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			opened, rows, err := seal.Unlock(c.key, c.previous, mustWrap(t, ring, c.under))
			if !errors.Is(err, c.want) || (rows != nil) != c.rewrapped {
				t.Fatalf("got %d rows and %v", len(rows), err)
			}
			if c.want != nil {
				if !strings.Contains(err.Error(), c.key.CheckValue()) || rows != nil {
					t.Errorf("the error does not speak of SECRET_KEY: %v", err)
				}
				return
			}
			if c.rewrapped {
				if opened, err = seal.OpenRing(c.key, rows); err != nil {
					t.Fatal(err)
				}
			}
			mustOpen(t, opened, place, sealed, "canary")
			if !opened.VerifyMAC(seal.PurposeAPIKey, []byte("key"), mac) {
				t.Error("an API key stopped working")
			}
		})
	}
	damaged := mustWrap(t, ring, previous)
	damaged[0].Wrapped[50] ^= 1
	if _, _, err := seal.Unlock(key, previous, damaged); !errors.Is(err, seal.ErrRing) {
		t.Errorf("a damaged ring gave %v", err)
	}
}

func TestCheckRow(t *testing.T) {
	ring, stranger := mustRing(t), mustRing(t)
	row := ring.SealCheck()
	if err := ring.OpenCheck(row); err != nil {
		t.Fatalf("the own check row: %v", err)
	}
	if err := mustAddKey(t, ring).OpenCheck(row); err != nil {
		t.Errorf("after AddKey: %v", err)
	}
	changed := bytes.Clone(row)
	changed[20] ^= 1
	for name, bad := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "changed": changed, "another installation's": stranger.SealCheck(),
		"a newer ring's": mustAddKey(t, ring).SealCheck(),
		"a field":        mustSeal(t, ring, seal.Place{Table: "check", Row: "check", Column: "check"}, "berth start-up check"),
	} {
		if err := ring.OpenCheck(bad); !errors.Is(err, seal.ErrCheck) {
			t.Errorf("%s: got %v, want ErrCheck", name, err)
		}
	}
	if _, err := ring.Open(seal.Place{Table: "check", Row: "check", Column: "check"}, row); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("the check row opened as a field: %v", err)
	}
}

func TestRingIsSafeForConcurrentUse(t *testing.T) {
	ring := mustRing(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 50 {
				here := seal.Place{Table: "t", Row: fmt.Sprint(i), Column: fmt.Sprint(n)}
				sealed, err := ring.Seal(here, []byte("v"))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := ring.Open(here, sealed); err != nil {
					t.Error(err)
				}
				ring.Stale(sealed)
				ring.MAC(seal.PurposeSession, sealed)
			}
		})
	}
	group.Go(func() {
		for range 20 {
			newer, err := ring.AddKey()
			if err == nil {
				err = ring.Adopt(newer)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	if rows := mustWrap(t, ring, mustKey(t, keyText)); len(rows) != 21 || !rows[20].Active {
		t.Errorf("%d keys", len(rows))
	}
}

func TestRingDoesNotPrintItsKeys(t *testing.T) {
	known := []byte("0123456789abcdefghijklmnopqrstuv")
	ring, err := seal.NewRing(bytes.NewReader(known))
	if err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintf("%v %+v %#v %v", ring, ring, ring, struct{ r *seal.Ring }{ring})
	for _, part := range []string{string(known[:8]), "48 49 50 51", "3031323334", "0x30, 0x31"} {
		if strings.Contains(out, part) {
			t.Errorf("the ring prints its key: %s", out)
		}
	}
}
