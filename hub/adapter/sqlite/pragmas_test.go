package sqlite

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"berth/core/store"
)

// wanted are the pragmas of every connection: what is not there is lost, leaked or waited for.
var wanted = map[string]string{
	"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "trusted_schema": "0", "secure_delete": "1",
	"busy_timeout": "10000", "temp_store": "2", "query_only": "0",
}

// pragmasOf reads the pragmas of the connection under a transaction.
func pragmasOf(t *testing.T, tx *store.Tx) map[string]string {
	t.Helper()
	got := map[string]string{}
	for name := range wanted {
		values, err := store.Texts(tx, `PRAGMA `+name)
		if err != nil || len(values) != 1 {
			t.Errorf("%s: %v, %v", name, values, err)
			return got
		}
		got[name] = values[0]
	}
	return got
}

func TestEveryConnectionHasThePragmas(t *testing.T) {
	db := openIn(t, t.TempDir(), nil)
	readersWant := maps.Clone(wanted)
	readersWant["query_only"] = "1"
	for round := range 2 { // the second time on connections that come back from the pool
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			if got := pragmasOf(t, tx); !maps.Equal(got, wanted) {
				t.Errorf("round %d: the writer has %v", round, got)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		// Each reader holds its connection until all are there, so that every one is looked at.
		var all, there sync.WaitGroup
		there.Add(readers)
		for range readers {
			all.Go(func() {
				err := db.Read(t.Context(), func(tx *store.Tx) error {
					got := pragmasOf(t, tx)
					there.Done()
					there.Wait()
					if !maps.Equal(got, readersWant) {
						t.Errorf("round %d: a reader has %v", round, got)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestReadersAreBounded(t *testing.T) {
	db := openIn(t, t.TempDir(), nil)
	hold, held := make(chan struct{}), make(chan struct{}, readers)
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			if err := db.Read(t.Context(), func(*store.Tx) error { held <- struct{}{}; <-hold; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range readers {
		<-held
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := db.Read(ctx, func(*store.Tx) error { return errors.New("a reader too many runs") }); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
	close(hold)
	all.Wait()
}
