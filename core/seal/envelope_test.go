package seal_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"berth/core/seal"
)

var place = seal.Place{Table: "variables", Row: "var_1", Column: "value"}

func mustSeal(t testing.TB, ring *seal.Ring, at seal.Place, text string) seal.Sealed {
	t.Helper()
	sealed, err := ring.Seal(at, []byte(text))
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return sealed
}

func mustOpen(t testing.TB, ring *seal.Ring, at seal.Place, sealed seal.Sealed, want string) {
	t.Helper()
	got, err := ring.Open(at, sealed)
	if err != nil || string(got) != want {
		t.Fatalf("Open gave %q and %v, want %q", got, err, want)
	}
}

func TestSealRoundTrip(t *testing.T) {
	ring := mustRing(t)
	for name, text := range map[string]string{
		"empty": "", "text": "hunter2", "lines, quotes, dollars": "a\r\nb\n'\"$\\\x00", "not UTF-8": "\xff\xfe",
		"large": strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			sealed := mustSeal(t, ring, place, text)
			if len(sealed) != 1+4+12+len(text)+16 || !bytes.HasPrefix(sealed, []byte{1, 0, 0, 0, 1}) {
				t.Errorf("an envelope of %d bytes begins %x", len(sealed), sealed[:5])
			}
			if len(text) > 4 && bytes.Contains(sealed, []byte(text)) {
				t.Error("the envelope shows the text")
			}
			mustOpen(t, ring, place, sealed, text)
		})
	}
}

func TestSealRefuses(t *testing.T) {
	ring := mustRing(t)
	for name, at := range map[string]seal.Place{
		"no table": {Row: "r", Column: "c"}, "no row": {Table: "t", Column: "c"}, "no column": {Table: "t", Row: "r"},
	} {
		if _, err := ring.Seal(at, []byte("x")); err == nil {
			t.Errorf("%s: sealed", name)
		}
	}
	if _, err := ring.Seal(place, make([]byte, seal.MaxPlaintext+1)); err == nil {
		t.Error("too much was sealed")
	}
}

// Every two different places, those that look alike when strung together included.
func TestSwappedEnvelopesDoNotOpen(t *testing.T) {
	var places []seal.Place
	for _, table := range []string{"variables", "variable", "keys"} {
		for _, row := range []string{"var_1", "svar_1", "var_", "1"} {
			for _, column := range []string{"value", "1value", "note"} {
				places = append(places, seal.Place{Table: table, Row: row, Column: column})
			}
		}
	}
	ring := mustRing(t)
	envelopes := make([]seal.Sealed, len(places))
	for i, at := range places {
		envelopes[i] = mustSeal(t, ring, at, "value of "+at.Row)
	}
	for i, at := range places {
		for j, sealed := range envelopes {
			_, err := ring.Open(at, sealed)
			if (err == nil) != (i == j) || err != nil && !errors.Is(err, seal.ErrOpen) {
				t.Errorf("what was sealed at %v gave %v at %v", places[j], err, at)
			}
		}
	}
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	ring := mustAddKey(t, mustRing(t))
	sealed := mustSeal(t, ring, place, "value")
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 3 // turns key number 2 into 1, which exists
		if _, err := ring.Open(place, changed); err == nil {
			t.Errorf("byte %d can be changed", i)
		}
		if _, err := ring.Open(place, sealed[:i]); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := mustRing(t).Open(place, mustSeal(t, mustRing(t), place, "value")); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("another installation's envelope: %v", err)
	}
}

func TestNoncesAreDistinct(t *testing.T) {
	ring, seen := mustRing(t), map[string]bool{}
	for range 10_000 {
		seen[string(mustSeal(t, ring, place, "same")[5:17])] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different nonces of 10000", len(seen))
	}
}

func TestSealedInAColumn(t *testing.T) {
	sealed := mustSeal(t, mustRing(t), place, "value")
	stored, err := sealed.Value()
	if err != nil {
		t.Fatal(err)
	}
	var read seal.Sealed
	if err := read.Scan(stored); err != nil || !bytes.Equal(read, sealed) {
		t.Fatalf("read back %x and %v", read, err)
	}
	stored.([]byte)[30] ^= 1
	if bytes.Equal(read, stored.([]byte)) {
		t.Error("Scan kept the driver's bytes, which the driver may use again")
	}
	if null, err := seal.Sealed(nil).Value(); null != nil || err != nil {
		t.Errorf("nil is stored as %v, %v", null, err)
	}
	if err := read.Scan(nil); err != nil || read != nil {
		t.Errorf("NULL reads as %x, %v", read, err)
	}
	if _, err := seal.Sealed("a plain value of some length, sufficient for an envelope").Value(); err == nil {
		t.Error("a plain value was stored")
	}
	for name, source := range map[string]any{"text": "text", "number": int64(7), "plain bytes": []byte("plain"), "no bytes": []byte{}} {
		if err := new(seal.Sealed).Scan(source); err == nil || strings.Contains(err.Error(), "plain bytes") {
			t.Errorf("%s: read as %v", name, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	ring, genuine := goldenRing(f), unhex(f, goldenEnvelope)
	f.Add(genuine)
	f.Add(genuine[:17])
	f.Add(unhex(f, goldenCheck))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{1}, 33))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ring.Open(place, data)
		if (err == nil) != bytes.Equal(data, genuine) {
			t.Errorf("%x opened with %v", data, err)
		}
		if err != nil && !errors.Is(err, seal.ErrOpen) && !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("unexpected error: %v", err)
		}
		if (ring.OpenCheck(data) == nil) != (hex.EncodeToString(data) == goldenCheck) {
			t.Errorf("forged check row: %x", data)
		}
		ring.Stale(data)
		var read seal.Sealed
		if read.Scan(data) == nil && !bytes.Equal(read, data) {
			t.Error("Scan changed the bytes")
		}
	})
}
