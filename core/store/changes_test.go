package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/store"
)

// changesWithin is how long a change may take to be told: it is looked for every quarter of a second where other processes are.
const changesWithin = 10 * time.Second

func TestWhoWaitsIsToldOfWhatWasStored(t *testing.T) {
	broken := errors.New("broken off")
	for name, c := range map[string]struct {
		query string
		fails error
		of    []core.ChangeOf // empty: nobody is told
	}{
		"a worker":                      {`UPDATE workers SET hostname = 'other' WHERE 1 = 1`, nil, []core.ChangeOf{core.ChangeOfWorkers}},
		"a row that nobody listed":      {`INSERT INTO settings (name, value) VALUES ('changes', 'x')`, nil, []core.ChangeOf{core.ChangeOfOthers}},
		"rows of no one's interest":     {`DELETE FROM spent_states WHERE 1 = 1`, nil, nil},
		"no row at all":                 {`UPDATE stacks SET name = 'x' WHERE id = 'none'`, nil, nil},
		"what was broken off":           {`UPDATE workers SET hostname = 'other' WHERE 1 = 1`, broken, nil},
		"what is read, however written": {`SELECT count(*) FROM workers`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := openFleet(t)
			r.worker(t, "one")
			before := settled(t, r.Store)
			err := r.db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := store.Exec(tx, c.query)
				return errors.Join(err, c.fails)
			})
			if !errors.Is(err, c.fails) {
				t.Fatal(err)
			}
			found := store.Told(r.db, before)
			if !slices.Equal(found, c.of) {
				t.Errorf("told of %v, want %v", found, c.of)
			}
		})
	}
}

func TestAStatementThatReturnsWhatItChangedIsTold(t *testing.T) {
	r := openFleet(t)
	w := r.worker(t, "one")
	before := settled(t, r.Store)
	if _, err := r.WorkerConnected(t.Context(), w.ID, fleet.Facts{Hostname: "one", Tags: []string{}}); err != nil {
		t.Fatal(err)
	}
	if found := store.Told(r.db, before); !slices.Equal(found, []core.ChangeOf{core.ChangeOfWorkers}) {
		t.Errorf("told of %v", found)
	}
}

// settled is the count after which nothing comes any more of what was stored so far.
func settled(t *testing.T, s *store.Store) (seen uint64) {
	t.Helper()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		found := s.AwaitChanges(ctx, seen)
		cancel()
		if found.Count == seen {
			return seen
		}
		seen = found.Count
	}
}

func TestThoseWhoWaitAreCalledAtOnce(t *testing.T) {
	r := openFleet(t)
	seen := settled(t, r.Store)
	ctx, cancel := context.WithTimeout(t.Context(), changesWithin)
	defer cancel()
	told := make(chan core.Changes, 3)
	for range cap(told) {
		go func() { told <- r.AwaitChanges(ctx, seen) }()
	}
	r.worker(t, "one")
	for range cap(told) {
		if found := <-told; found.Count == seen || !slices.Contains(found.Of, core.ChangeOfWorkers) {
			t.Errorf("told %+v after %d", found, seen)
		}
	}
}

// TestAMarkIsOfItsProcess: what it names is known again, and nothing else is taken for it.
func TestAMarkIsOfItsProcess(t *testing.T) {
	r, other := openFleet(t), openFleet(t)
	seen := settled(t, r.Store)
	mark := r.AwaitChanges(t.Context(), 0).Mark
	if got := r.ChangesSeen(mark); got != seen {
		t.Errorf("%s is %d, want %d", mark, got, seen)
	}
	r.worker(t, "one")
	after := r.AwaitChanges(t.Context(), r.ChangesSeen(mark))
	if after.Count == seen || after.Mark == mark || !slices.Contains(after.Of, core.ChangeOfWorkers) || slices.Contains(after.Of, core.ChangeOfStacks) {
		t.Errorf("after %s there is %+v", mark, after)
	}
	for _, wrong := range []string{"", "-", mark[:len(mark)-1] + "x", mark + "000", strings.ToLower(mark), "0-1", mark + "-1"} {
		if got := r.ChangesSeen(wrong); got != 0 {
			t.Errorf("%q is taken for %d", wrong, got)
		}
	}
	if got := other.ChangesSeen(mark); got != 0 {
		t.Errorf("another process takes it for %d", got)
	}
}

// TestAnotherProcessIsSeen writes beside the store, as another process does.
func TestAnotherProcessIsSeen(t *testing.T) {
	r := openFleet(t)
	r.worker(t, "one")
	seen := settled(t, r.Store)
	if err := execute(t, r.raw, `UPDATE workers SET hostname = 'other' WHERE 1 = 1`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	if onPostgres {
		cancel()
		ctx, cancel = context.WithTimeout(t.Context(), changesWithin)
	}
	defer cancel()
	found := r.AwaitChanges(ctx, seen)
	if told := found.Count != seen; told != onPostgres { // a file of SQLite has one process
		t.Errorf("told %v, want %v", told, onPostgres)
	}
}
