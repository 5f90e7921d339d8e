package coretest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/store"
)

// Store is the contract of a database behind core/store. open returns a DB on a new, empty
// database and closes it when the test has ended. What the contract asks is what the
// nouns in core/store rely on, so that their SQL need not know which database it runs on.
// With names of groups only those are asked, for another way to a database that is held against all of it elsewhere.
func Store(t *testing.T, open func(t *testing.T) *store.DB, only ...string) {
	groups := map[string]map[string]func(storeBench){
		"transactions": transactionCases, "concurrency": concurrencyCases, "contexts": contextCases, "values": valueCases, "nouns": nounCases, "jobs": jobCases, "events": eventCases, "keys": keyCases,
	}
	for _, group := range only {
		if groups[group] == nil {
			t.Fatalf("the contract has no group %q", group)
		}
	}
	for group, cases := range groups {
		if len(only) > 0 && !slices.Contains(only, group) {
			continue
		}
		for name, run := range cases {
			t.Run(group+"/"+name, func(t *testing.T) {
				b := storeBench{T: t, db: open(t)}
				b.must(b.db.Migrate(t.Context(), storeEpoch))
				run(b)
			})
		}
	}
	if len(only) > 0 {
		return
	}
	for name, run := range migrationCases {
		t.Run("migrations/"+name, func(t *testing.T) { run(storeBench{T: t, db: open(t)}) })
	}
}

// storeEpoch is when the contract's clocks begin.
var storeEpoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// storeWait bounds whatever must not hang.
const storeWait = 30 * time.Second

// storeBench is what each case works with. The settings table, which has a name and a value,
// is the cases' scratch pad.
type storeBench struct {
	*testing.T
	db *store.DB
}

func (b storeBench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// soon is a context that ends before a test would hang.
func (b storeBench) soon() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), storeWait)
	b.Cleanup(cancel)
	return ctx
}

// store returns a Store whose clock moves a millisecond with each reading, so that
// identifiers sort by age.
func (b storeBench) store() *store.Store {
	var ticks atomic.Int64
	return store.New(b.db, func() time.Time { return storeEpoch.Add(time.Duration(ticks.Add(1)) * time.Millisecond) })
}

// put adds a row to the scratch pad.
func put(tx *store.Tx, name, value string) error {
	_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, ?)`, name, value)
	return err
}

// get reads a row of the scratch pad; "" when there is none.
func get(tx *store.Tx, name string) (string, error) {
	values, err := store.Texts(tx, `SELECT value FROM settings WHERE name = ?`, name)
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0], nil
}

// write puts one row, in a transaction of its own.
func (b storeBench) write(ctx context.Context, name, value string) {
	b.Helper()
	b.must(b.db.Write(ctx, func(tx *store.Tx) error { return put(tx, name, value) }))
}

// read returns a query's texts, in a transaction of its own.
func (b storeBench) read(query string, args ...any) (texts []string) {
	b.Helper()
	b.must(b.db.Read(b.soon(), func(tx *store.Tx) (err error) {
		texts, err = store.Texts(tx, query, args...)
		return err
	}))
	return texts
}

// holds checks the names that are on the scratch pad, in order.
func (b storeBench) holds(names ...string) {
	b.Helper()
	if got := b.read(`SELECT name FROM settings ORDER BY name`); !slices.Equal(got, names) {
		b.Errorf("stored are %q, want %q", got, names)
	}
}

// works checks that the database still reads and writes at once.
func (b storeBench) works() {
	b.Helper()
	name := fmt.Sprintf("works %d", len(b.read(`SELECT name FROM settings`)))
	b.write(b.soon(), name, "")
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, `DELETE FROM settings WHERE name = ?`, name)
		return err
	}))
}
