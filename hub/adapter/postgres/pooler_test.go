package postgres

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

// lent is how many connections a pooler has to share out: fewer than a process would hold itself.
const lent = 3

// TestStoreBehindAPooler: the contract holds where each transaction gets another connection.
func TestStoreBehindAPooler(t *testing.T) {
	s := pgserver.Shared(t)
	pooler, ready := s.Pool(t, lent), prepared(t)
	coretest.Store(t, func(t *testing.T) *store.DB { return openAt(t, pooler.URL(s.Database(t, ready))) },
		"transactions", "concurrency", "contexts")
}

// TestAServerThatRestartsBehindAPooler: the pooler answers and the server does not. When that does again, a
// pooler may turn down what comes in its first seconds.
func TestAServerThatRestartsBehindAPooler(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{})
	pooler := s.Pool(t, lent)
	db := migrated(t, pooler.URL(s.Database(t, "template0")))
	const writers = 3 * lent
	all := func(when string) {
		var writing sync.WaitGroup
		for i := range writers {
			writing.Go(func() { goesOn(t, db, fmt.Sprint(when, i)) })
		}
		writing.Wait()
	}
	all("before")
	s.Stop()
	for what, err := range map[string]error{"write": put(t, db, "away"), "read": second(names(t, db))} {
		if fault.CodeOf(err) != "store.away" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	all("after")
	stored, err := names(t, db)
	if err != nil {
		t.Fatal(err)
	}
	for i := range writers {
		for _, when := range []string{"before", "after"} {
			if name := fmt.Sprint(when, i); !slices.Contains(stored, name) {
				t.Errorf("%s is not stored, only %q", name, stored)
			}
		}
	}
	if slices.Contains(stored, "away") {
		t.Error("what failed is stored")
	}
}

// goesOn stores a name until that is confirmed. What was not confirmed may be stored already.
func goesOn(t *testing.T, db *store.DB, name string) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, '') ON CONFLICT (name) DO NOTHING`, name)
			return err
		})
		if err == nil {
			return
		}
		if time.Since(began) > 3*time.Minute {
			t.Errorf("%s is not stored: %v", name, err)
			return
		}
	}
}
