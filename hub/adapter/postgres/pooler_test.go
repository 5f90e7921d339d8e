package postgres

import (
	"fmt"
	"strings"
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
	pooler, ready := s.Pool(t, lent), s.Database(t, "template0")
	db, err := Open(t.Context(), s.URL(ready), Server())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	coretest.Store(t, func(t *testing.T) *store.DB {
		from := ready // which is quicker than making every table again
		if strings.Contains(t.Name(), "/migrations/") {
			from = "template0"
		}
		return openAt(t, pooler.URL(s.Database(t, from)))
	})
}

// TestAServerThatRestartsBehindAPooler: the pooler answers and the server does not. When that does again, a
// pooler may turn down what comes in its first second.
func TestAServerThatRestartsBehindAPooler(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{})
	pooler := s.Pool(t, lent)
	db := migrated(t, pooler.URL(s.Database(t, "template0")))
	all := func(name string) {
		var writers sync.WaitGroup
		for i := range 3 * lent {
			writers.Go(func() {
				if err := put(t, db, fmt.Sprint(name, i)); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
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
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); put(t, db, "first") != nil; <-tick.C {
		if time.Since(began) > 2*time.Minute {
			t.Fatal("it does not go on")
		}
	}
	all("after")
	if got, err := names(t, db); err != nil || len(got) != 6*lent+1 {
		t.Errorf("%q are stored, want %d: %v", got, 6*lent+1, err)
	}
}
