package flock_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"berth/hub/flock"
)

func TestOneHoldsItAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := flock.Hold(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flock.Hold(t.Context(), path); !errors.Is(err, flock.ErrHeld) {
		t.Errorf("a second one: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := flock.Hold(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("one that was told to end: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := flock.Hold(t.Context(), path)
	if err != nil {
		t.Fatalf("afterwards: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if _, err := flock.Hold(t.Context(), filepath.Join(path, "none")); errors.Is(err, flock.ErrHeld) || errors.Is(err, fs.ErrNotExist) || err == nil {
		t.Errorf("where there can be no file: %v", err)
	}
}
