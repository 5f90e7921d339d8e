package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// What every database must do is core/coretest's contract; here is what DB does with what a
// Dialect says, on a database with a dialect of the test's own.

// spoken opens a migrated database and speaks to it as change says.
func spoken(t *testing.T, change func(*store.Dialect)) *store.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one.db")
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxOpenConns(1) // as the one writer has it
	dialect := sqlite.Dialect()
	first := store.NewDB(pool, pool, dialect, nil)
	if err := first.Migrate(t.Context(), migratedAt); err != nil {
		t.Fatal(err)
	}
	change(&dialect)
	db := store.NewDB(pool, pool, dialect, nil)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

var errAgain = errors.New("again")

func TestAWriteIsRunAgainWhenTheDatabaseAsks(t *testing.T) {
	db := spoken(t, func(d *store.Dialect) { d.Retry = func(err error) bool { return errors.Is(err, errAgain) } })
	for name, c := range map[string]struct {
		failures int
		err      error
		runs     int
		fails    bool
	}{
		"at once":              {0, errAgain, 1, false},
		"after two":            {2, errAgain, 3, false},
		"after four":           {4, errAgain, 5, false},
		"never":                {1000, errAgain, 5, true},
		"not for other errors": {1, errors.New("other"), 1, true},
		"not for faults":       {1, fault.New(fault.Conflict, "test.conflict", "no"), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				runs++
				if _, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, '')`, name); err != nil {
					return err
				}
				if runs <= c.failures {
					return c.err
				}
				return nil
			})
			if runs != c.runs || c.fails != (err != nil) || c.fails && !errors.Is(err, c.err) {
				t.Errorf("%d runs, %v; want %d", runs, err, c.runs)
			}
			var stored []string
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
				stored, err = store.Texts(tx, `SELECT name FROM settings WHERE name = ?`, name)
				return err
			}); err != nil || (len(stored) == 1) == c.fails {
				t.Errorf("stored are %q, %v", stored, err)
			}
		})
	}
}

func TestReadsAreNotRunAgain(t *testing.T) {
	db := spoken(t, func(d *store.Dialect) { d.Retry = func(error) bool { return true } })
	runs := 0
	err := db.Read(t.Context(), func(*store.Tx) error { runs++; return errAgain })
	if runs != 1 || !errors.Is(err, errAgain) {
		t.Errorf("%d runs, %v", runs, err)
	}
}

func TestEveryStatementIsSpokenInTheDialect(t *testing.T) {
	var heard []string
	db := spoken(t, func(d *store.Dialect) {
		d.Placeholder = func(query string) string {
			heard = append(heard, query)
			return strings.ReplaceAll(query, "?", "?1")
		}
	})
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		n, errExec := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, ?)`, "a")
		names, errTexts := store.Texts(tx, `SELECT value FROM settings WHERE name = ?`, "a")
		if n != 1 || len(names) != 1 || names[0] != "a" {
			t.Errorf("%d, %q", n, names)
		}
		return errors.Join(errExec, errTexts)
	})
	if err != nil || len(heard) != 2 {
		t.Errorf("heard %q, %v", heard, err)
	}
	if _, err := store.New(db, nil).Stack(t.Context(), "stk_none"); !fault.Is(err, fault.NotFound) || len(heard) != 3 {
		t.Errorf("heard %q, %v", heard, err)
	}
}

func TestFailuresBecomeFaults(t *testing.T) {
	is := func(err error) bool { return errors.Is(err, errAgain) }
	for name, c := range map[string]struct {
		change func(*store.Dialect)
		write  string // code of the fault of a write, and of a read
		read   string
	}{
		"an unknown error": {func(*store.Dialect) {}, "internal.error", "internal.error"},
		"a full disk":      {func(d *store.Dialect) { d.Full = is }, "store.disk_full", "store.disk_full"},
		"a broken disk":    {func(d *store.Dialect) { d.Broken = is }, "store.broken", "store.broken"},
		"no writes at all": {func(d *store.Dialect) { d.ReadOnly = is }, "store.broken", "internal.error"},
	} {
		t.Run(name, func(t *testing.T) {
			db := spoken(t, c.change)
			fn := func(*store.Tx) error { return errAgain }
			for kind, got := range map[string][2]string{
				"write": {fault.CodeOf(db.Write(t.Context(), fn)), c.write},
				"read":  {fault.CodeOf(db.Read(t.Context(), fn)), c.read},
			} {
				if got[0] != got[1] {
					t.Errorf("%s: %s, want %s", kind, got[0], got[1])
				}
			}
			if err := db.Write(t.Context(), fn); !errors.Is(err, errAgain) || strings.Contains(fault.PublicOf(err), "again") {
				t.Errorf("the cause must be in the log and not in public: %v", err)
			}
		})
	}
}

func TestACallersFaultIsNoTrouble(t *testing.T) {
	always := func(error) bool { return true }
	db := spoken(t, func(d *store.Dialect) { d.Full, d.Broken = always, always })
	mine := fault.New(fault.Conflict, "test.conflict", "no")
	if err := db.Write(t.Context(), func(*store.Tx) error { return mine }); err != error(mine) {
		t.Errorf("got %v", err)
	}
	for _, mine := range []error{context.Canceled, context.DeadlineExceeded} {
		if err := db.Read(t.Context(), func(*store.Tx) error { return mine }); err != mine {
			t.Errorf("got %v", err)
		}
	}
}

func TestPing(t *testing.T) {
	db := spoken(t, func(*store.Dialect) {})
	s := store.New(db, nil)
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("a closed database answers")
	}
}
