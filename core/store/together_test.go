package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/patience"
	"berth/core/store"
)

// crowd is a database whose writer is taken, and writes that wait for it.
type crowd struct {
	t       *testing.T
	db      *store.DB
	release chan struct{}
	all     sync.WaitGroup
	waiting int

	mu   sync.Mutex
	errs map[string]error // by the name of each write
}

// taken returns a crowd that nobody waits in yet.
func taken(t *testing.T, change func(*store.Dialect)) *crowd {
	t.Helper()
	c := &crowd{t: t, db: spoken(t, change), release: make(chan struct{}), errs: map[string]error{}}
	began := make(chan struct{})
	c.all.Go(func() {
		c.note("first", c.db.Write(t.Context(), func(tx *store.Tx) error {
			close(began)
			<-c.release
			return insertName(tx, "first")
		}))
	})
	<-began
	return c
}

func insertName(tx *store.Tx, name string) error {
	_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, '')`, name)
	return err
}

func (c *crowd) note(name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs[name] = err
}

// write has a write wait for its turn.
func (c *crowd) write(ctx context.Context, name string, fn func(*store.Tx) error) {
	c.t.Helper()
	c.all.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				c.note(name, fmt.Errorf("panic: %v", p))
			}
		}()
		c.note(name, c.db.Write(ctx, func(tx *store.Tx) error {
			if err := insertName(tx, name); err != nil {
				return err
			}
			return fn(tx)
		}))
	})
	c.waiting++
	c.until(c.waiting)
}

// until waits for so many writes to be in line.
func (c *crowd) until(n int) {
	c.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); store.Waiting(c.db) != n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("%d writes wait, want %d", store.Waiting(c.db), n)
		}
	}
}

// finish lets the first write end, and returns what is stored and how many commits the others took.
func (c *crowd) finish() (stored map[string]bool, commits uint64) {
	c.t.Helper()
	before := store.Commits(c.db)
	close(c.release)
	c.all.Wait()
	commits = store.Commits(c.db) - before - 1
	var names []string
	if err := c.db.Read(c.t.Context(), func(tx *store.Tx) (err error) {
		names, err = store.Texts(tx, `SELECT name FROM settings WHERE name LIKE 'write%'`)
		return err
	}); err != nil {
		c.t.Fatal(err)
	}
	stored = map[string]bool{}
	for _, name := range names {
		stored[name] = true
	}
	return stored, commits
}

func fine(*store.Tx) error { return nil }

func TestWritesThatWaitShareACommit(t *testing.T) {
	c := taken(t, func(*store.Dialect) {})
	for i := range 10 {
		c.write(t.Context(), fmt.Sprint("write ", i), fine)
	}
	stored, commits := c.finish()
	if len(stored) != 10 || commits != 1 {
		t.Errorf("%d writes are stored by %d commits, want 10 by 1", len(stored), commits)
	}
	for name, err := range c.errs {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAWriteThatFailsTakesNothingAlong(t *testing.T) {
	conflict := fault.New(fault.Conflict, "test.conflict", "no")
	other := errors.New("other")
	c := taken(t, func(*store.Dialect) {})
	gone, leave := context.WithCancel(t.Context())
	for name, fn := range map[string]func(*store.Tx) error{
		"write a": fine,
		"write b": func(*store.Tx) error { return conflict },
		"write c": func(tx *store.Tx) error { return insertName(tx, "write c") }, // twice: not unique
		"write d": func(*store.Tx) error { return other },
		"write e": fine,
	} {
		c.write(t.Context(), name, fn)
	}
	c.write(gone, "write f", fine)
	leave()
	c.until(5) // it waits no longer
	stored, commits := c.finish()
	if len(stored) != 2 || !stored["write a"] || !stored["write e"] || commits != 1 {
		t.Errorf("stored by %d commits are %v, want a and e by 1", commits, stored)
	}
	for name, want := range map[string]error{"write b": conflict, "write d": other, "write f": context.Canceled} {
		if !errors.Is(c.errs[name], want) {
			t.Errorf("%s: %v, want %v", name, c.errs[name], want)
		}
	}
	if c.errs["write c"] == nil || c.errs["write a"] != nil || c.errs["write e"] != nil {
		t.Errorf("ended with %v", c.errs)
	}
}

func TestWhereWhatTheyShareFailsEachRunsForItself(t *testing.T) {
	for name, c := range map[string]struct {
		bad  func(*store.Tx) error
		want string
	}{
		"the disk is full for one":  {func(*store.Tx) error { return errAgain }, "store.disk_full"},
		"one panics":                {func(*store.Tx) error { panic("a defect") }, ""},
		"one ends what they shared": {func(tx *store.Tx) error { _, err := store.Exec(tx, `ROLLBACK`); return errors.Join(err, errAgain) }, "store.disk_full"},
	} {
		t.Run(name, func(t *testing.T) {
			crowd := taken(t, func(d *store.Dialect) { d.Full = func(err error) bool { return errors.Is(err, errAgain) } })
			for i := range 3 {
				crowd.write(t.Context(), fmt.Sprint("write ", i), fine)
			}
			crowd.write(t.Context(), "write bad", c.bad)
			stored, commits := crowd.finish()
			if len(stored) != 3 || stored["write bad"] || commits != 3 {
				t.Errorf("stored by %d commits are %v, want the three others by three", commits, stored)
			}
			if err := crowd.errs["write bad"]; err == nil || fault.CodeOf(err) != c.want && c.want != "" {
				t.Errorf("the bad one ended with %v", err)
			}
		})
	}
}

// TestAPanicThatDoesNotComeUpAgainIsTold: the write that panicked among others goes well alone, so that nothing else tells of it.
func TestAPanicThatDoesNotComeUpAgainIsTold(t *testing.T) {
	c := taken(t, func(*store.Dialect) {})
	var told []error
	c.db.OnDefect(func(err error) { told = append(told, err) }) // whoever leads the others tells, before they go on
	once := true
	c.write(t.Context(), "write fine", fine)
	c.write(t.Context(), "write odd", func(*store.Tx) error {
		if once {
			once = false
			panic("a defect at times")
		}
		return nil
	})
	stored, _ := c.finish()
	if len(stored) != 2 || c.errs["write fine"] != nil || c.errs["write odd"] != nil {
		t.Errorf("stored are %v, ended with %v", stored, c.errs)
	}
	if len(told) != 1 || !strings.Contains(told[0].Error(), "a defect at times") || !strings.Contains(told[0].Error(), "together_test.go") {
		t.Errorf("told was %v", told)
	}
}

func TestWhoIsInAHurryDoesNotWaitInLine(t *testing.T) {
	c := taken(t, func(*store.Dialect) {})
	c.write(t.Context(), "write patient", fine)
	err := c.db.Write(patience.With(t.Context(), time.Millisecond), func(tx *store.Tx) error { return insertName(tx, "write hasty") })
	if fault.CodeOf(err) != "store.busy" {
		t.Errorf("it got %v", err)
	}
	if stored, _ := c.finish(); len(stored) != 1 || !stored["write patient"] {
		t.Errorf("stored are %v", stored)
	}
}
