package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/store"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// filled opens a database below dir and stores a row in it that is still in the write-ahead log.
func filled(t *testing.T, dir string) *store.DB {
	t.Helper()
	db := openIn(t, dir, nil)
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	write(t, db, `INSERT INTO settings (name, value) VALUES ('kept', 'a secret of the installation')`)
	return db
}

func write(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	if err := tryWrite(t, db, query, args...); err != nil {
		t.Fatal(err)
	}
}

func tryWrite(t *testing.T, db *store.DB, query string, args ...any) error {
	return db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, query, args...)
		return err
	})
}

func read(t *testing.T, db *store.DB, query string, args ...any) (texts []string) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
		texts, err = store.Texts(tx, query, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return texts
}

// contents returns every file below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(content)
	}
	return files
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"a new database": func(*testing.T, string) {},
		"one that everybody could read": func(t *testing.T, dir string) {
			for file, content := range leftBehind(t) {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "shared")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			prepare(t, dir)
			db := openIn(t, dir, nil)
			if err := db.Migrate(t.Context(), epoch); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 3 {
				t.Fatalf("files: %v, %v; want database, log and index", entries, err)
			}
			for _, e := range entries {
				if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
				}
			}
		})
	}
	t.Run("the folder is made", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a", "b")
		openIn(t, dir, nil)
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})
}

// leftBehind is what a writer leaves that ends without closing: the database's files as
// they are while it is open, with rows that are only in the log.
func leftBehind(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	filled(t, dir)
	files := contents(t, dir)
	if len(files) != 3 || len(files[File+"-wal"]) == 0 || bytes.Contains([]byte(files[File]), []byte("a secret of the installation")) {
		t.Fatal("the row is not in the log alone")
	}
	return files
}

func TestAnUncleanEndLosesNothing(t *testing.T) {
	dir := t.TempDir()
	for file, content := range leftBehind(t) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := openIn(t, dir, nil)
	if got := read(t, db, `SELECT name FROM settings`); len(got) != 1 || got[0] != "kept" {
		t.Errorf("left are %q", got)
	}
}

// TestTwoProcessesTakeTurns: a second program on the same file, such as one that makes a
// backup, makes a writer wait and not fail.
func TestTwoProcessesTakeTurns(t *testing.T) {
	dir := t.TempDir()
	dbs := []*store.DB{filled(t, dir), openIn(t, dir, nil)}
	write(t, dbs[0], `UPDATE settings SET value = '0'`)
	const rounds = 20
	var both sync.WaitGroup
	for _, db := range dbs {
		both.Go(func() {
			for range rounds {
				err := db.Write(t.Context(), func(tx *store.Tx) error {
					got, err := store.Texts(tx, `SELECT value FROM settings`)
					if err != nil {
						return err
					}
					n, err := strconv.Atoi(got[0])
					if err != nil {
						return err
					}
					_, err = store.Exec(tx, `UPDATE settings SET value = ?`, strconv.Itoa(n+1))
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	both.Wait()
	if got := read(t, dbs[0], `SELECT value FROM settings`); got[0] != strconv.Itoa(2*rounds) {
		t.Errorf("counted to %s, want %d", got[0], 2*rounds)
	}
}

func TestReplacedValuesAreGoneFromTheFile(t *testing.T) {
	dir := t.TempDir()
	db := filled(t, dir)
	write(t, db, `UPDATE settings SET value = ''`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range contents(t, dir) {
		if strings.Contains(content, "a secret of the installation") {
			t.Errorf("%s still has the old value", name)
		}
	}
}

func TestWhatCannotBeOpenedSaysWhere(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"a file in the folder's place":  func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a folder in the database's":    func(dir string) error { return os.MkdirAll(filepath.Join(dir, File), 0o700) },
		"something that is no database": func(dir string) error { return writeInto(dir, strings.Repeat("this is no database at all. ", 100)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a ?#% b")
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), dir, nil)
			if fault.CodeOf(err) != "store.open" || !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.PublicOf(err), dir) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a name with odd characters is fine", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a ?#%41 b")
		filled(t, dir)
		if _, err := os.Stat(filepath.Join(dir, File)); err != nil {
			t.Error(err)
		}
	})
}

func writeInto(dir, content string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, File), []byte(content), 0o600)
}
