package seal_test

import (
	"errors"
	"testing"

	"berth/core/seal"
)

var followed = seal.Place{Table: "t", Row: "r", Column: "c"}

// TestARingFetchesTheKeyThatItDoesNotKnow, once for many values that nobody can open.
func TestARingFetchesTheKeyThatItDoesNotKnow(t *testing.T) {
	ring := mustRing(t)
	newer := mustAddKey(t, ring)
	newest := mustAddKey(t, newer)
	sealed, lost := mustSeal(t, newer, followed, "secret"), mustSeal(t, newest, followed, "secret")
	fetched := 0
	ring.Following(func() (*seal.Ring, error) { fetched++; return newer, nil })
	if text, err := ring.Open(followed, sealed); err != nil || string(text) != "secret" || fetched != 1 || ring.Active() != 2 {
		t.Errorf("Open = %q, %v after %d fetches; key %d is active", text, err, fetched, ring.Active())
	}
	for range 10 {
		if _, err := ring.Open(followed, lost); !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("Open = %v, want ErrUnknownKey", err)
		}
	}
	if fetched != 1 {
		t.Errorf("the ring was fetched %d times within a moment", fetched)
	}
}

func TestARingThatCannotBeFetchedChangesNothing(t *testing.T) {
	ring, other := mustRing(t), mustRing(t)
	newer := mustAddKey(t, ring)
	old, sealed := mustSeal(t, ring, followed, "secret"), mustSeal(t, newer, followed, "secret")
	away := errors.New("away")
	for name, c := range map[string]struct {
		fetch func() (*seal.Ring, error)
		want  error
	}{
		"the database is away":           {func() (*seal.Ring, error) { return nil, away }, away},
		"the ring of somewhere else":     {func() (*seal.Ring, error) { return other, nil }, seal.ErrRing},
		"the ring that is known already": {func() (*seal.Ring, error) { return ring, nil }, seal.ErrUnknownKey},
	} {
		t.Run(name, func(t *testing.T) {
			ring.Following(c.fetch)
			for range 2 { // the second time without fetching again
				if _, err := ring.Open(followed, sealed); !errors.Is(err, c.want) {
					t.Errorf("Open = %v, want %v", err, c.want)
				}
			}
			if text, err := ring.Open(followed, old); err != nil || string(text) != "secret" {
				t.Errorf("what was known: %q, %v", text, err)
			}
		})
	}
}
