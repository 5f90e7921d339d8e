package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"berth/core/fault"
	"berth/core/store"
)

// swap puts another file under every descriptor that the process has of path, so that the
// next system call on it fails as a broken disk would. It returns the way back.
func swap(t *testing.T, path, other string, flags int) (restore func()) {
	t.Helper()
	replacement, err := syscall.Open(other, flags|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(replacement)
	kept := map[int]int{}
	for _, fd := range descriptorsOf(t, path) {
		if fd == replacement {
			continue
		}
		if kept[fd], err = syscall.Dup(fd); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(replacement, fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) == 0 {
		t.Fatalf("the process does not have %s open", path)
	}
	return func() {
		for fd, original := range kept {
			if err := syscall.Dup3(original, fd, syscall.O_CLOEXEC); err != nil {
				t.Error(err)
			}
			syscall.Close(original)
		}
	}
}

func descriptorsOf(t *testing.T, path string) (all []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, _ := os.Readlink("/proc/self/fd/" + e.Name()) // the folder's own descriptor is gone by now
		if fd, err := strconv.Atoi(e.Name()); err == nil && target == path {
			all = append(all, fd)
		}
	}
	return all
}

// breakage opens a database with one row and counts the calls of broken.
type breakage struct {
	db    *store.DB
	log   string // path of the write-ahead log
	calls []error
}

func newBreakage(t *testing.T) *breakage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &breakage{log: filepath.Join(dir, File+"-wal")}
	b.db = openIn(t, dir, func(err error) { b.calls = append(b.calls, err) })
	if err := b.db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	write(t, b.db, `INSERT INTO settings (name, value) VALUES ('kept', '')`)
	return b
}

func TestACommitThatMayBeLostEndsTheProcess(t *testing.T) {
	for name, c := range map[string]struct {
		file  string // in place of the log; empty: the log itself
		flags int
		code  string
		calls int
	}{
		"the write fails":     {"", syscall.O_RDONLY, "store.broken", 1},
		"the sync fails":      {os.DevNull, syscall.O_RDWR, "store.broken", 1},
		"D2 the disk is full": {"/dev/full", syscall.O_RDWR, "store.disk_full", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBreakage(t)
			file := c.file
			if file == "" {
				file = b.log
			}
			restore := swap(t, b.log, file, c.flags)
			err := tryWrite(t, b.db, `INSERT INTO settings (name, value) VALUES ('lost', '')`)
			restore()
			if fault.CodeOf(err) != c.code || !fault.Is(err, fault.Unavailable) || len(b.calls) != c.calls {
				t.Errorf("got %v and %d calls of broken %v; want %s and %d", err, len(b.calls), b.calls, c.code, c.calls)
			}
			for _, call := range b.calls {
				if !strings.Contains(call.Error(), "commit") || fault.CodeOf(call) != "internal.error" {
					t.Errorf("broken was called with %v", call)
				}
			}
			if c.calls > 0 { // until the process has ended, nothing is shown or taken that may not be so
				for range 2 {
					again := tryWrite(t, b.db, `INSERT INTO settings (name, value) VALUES ('more', '')`)
					shown := b.db.Read(t.Context(), func(*store.Tx) error { return errors.New("it was read") })
					if fault.CodeOf(again) != "store.broken" || fault.CodeOf(shown) != "store.broken" {
						t.Errorf("afterwards a write says %v, a read %v", again, shown)
					}
				}
				b.db = openIn(t, filepath.Dir(b.log), nil)
			}
			if got := read(t, b.db, `SELECT name FROM settings`); len(got) != 1 || got[0] != "kept" {
				t.Errorf("stored are %q", got)
			}
			write(t, b.db, `INSERT INTO settings (name, value) VALUES ('later', '')`)
			if len(b.calls) != c.calls {
				t.Errorf("broken was called %d times", len(b.calls))
			}
		})
	}
}

func TestWhatFailsBeforeTheCommitDoesNotEndTheProcess(t *testing.T) {
	for name, run := range map[string]func(*testing.T, *breakage) error{
		"a read": func(t *testing.T, b *breakage) error {
			return b.db.Read(t.Context(), func(tx *store.Tx) error {
				_, err := store.Texts(tx, `SELECT name FROM settings`)
				return err
			})
		},
		"a statement of a write": func(t *testing.T, b *breakage) error {
			return tryWrite(t, b.db, `UPDATE settings SET value = 'x'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBreakage(t)
			read(t, b.db, `SELECT name FROM settings`)
			// Others have written since, so that the pages must be read from the log again.
			other := openIn(t, filepath.Dir(b.log), nil)
			for i := range 5 {
				write(t, other, `INSERT INTO settings (name, value) VALUES (?, '')`, fmt.Sprint(i))
			}
			restore := swap(t, b.log, b.log, syscall.O_WRONLY)
			err := run(t, b)
			restore()
			if fault.CodeOf(err) != "store.broken" || !fault.Is(err, fault.Unavailable) || len(b.calls) != 0 {
				t.Errorf("got %v, and broken was called with %v", err, b.calls)
			}
			if got := read(t, b.db, `SELECT name FROM settings WHERE value = ''`); len(got) != 6 {
				t.Errorf("stored are %q", got)
			}
		})
	}
}

func TestOtherFailuresDoNotEndTheProcess(t *testing.T) {
	b := newBreakage(t)
	for _, query := range []string{`INSERT INTO settings (name, value) VALUES ('kept', '')`, `no sql`, `UPDATE users SET id = NULL`, `COMMIT`} {
		if err := tryWrite(t, b.db, query); query != `UPDATE users SET id = NULL` && err == nil {
			t.Errorf("%s: no error", query)
		}
	}
	if len(b.calls) != 0 {
		t.Errorf("broken was called with %v", b.calls)
	}
	write(t, b.db, `INSERT INTO settings (name, value) VALUES ('later', '')`)
}
