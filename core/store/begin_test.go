package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/patience"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// hold begins n transactions with begin and keeps them until the returned function is called.
func hold(t *testing.T, n int, begin func(context.Context, func(*store.Tx) error) error) (letGo func()) {
	t.Helper()
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	for range n {
		go func() {
			ended <- begin(context.Background(), func(*store.Tx) error {
				begun <- struct{}{}
				<-release
				return nil
			})
		}()
		<-begun
	}
	return func() {
		close(release)
		for range n {
			if err := <-ended; err != nil {
				t.Error("what was held:", err)
			}
		}
	}
}

// TestWhoeverHasNoPatienceIsToldToComeAgain, before anything of theirs has begun; all others wait. (N12)
func TestWhoeverHasNoPatienceIsToldToComeAgain(t *testing.T) {
	db, err := sqlite.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for name, c := range map[string]struct {
		held  int
		begin func(context.Context, func(*store.Tx) error) error
	}{
		"the one writer":   {1, db.Write},
		"all of the reads": {8, db.Read},
	} {
		t.Run(name, func(t *testing.T) {
			letGo := hold(t, c.held, c.begin)
			for _, limit := range []time.Duration{time.Nanosecond, 50 * time.Millisecond} {
				err := c.begin(patience.With(t.Context(), limit), func(*store.Tx) error {
					t.Error("it was begun")
					return nil
				})
				var f *fault.Error
				if fault.CodeOf(err) != "store.busy" || !errors.As(err, &f) || f.Kind != fault.Unavailable || f.RetryAfter == 0 {
					t.Errorf("a patience of %v ends with %v", limit, err)
				}
			}
			gone, leave := context.WithCancel(patience.With(t.Context(), time.Hour))
			leave()
			if err := c.begin(gone, func(*store.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("whoever has gone gets %v", err)
			}
			waited := make(chan error)
			for _, ctx := range []context.Context{context.Background(), patience.With(context.Background(), time.Hour)} {
				go func() { waited <- c.begin(ctx, func(*store.Tx) error { return nil }) }()
			}
			letGo()
			for range 2 {
				if err := <-waited; err != nil {
					t.Error("whoever has patience:", err)
				}
			}
		})
	}
}
