package sqlite

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"berth/core/fault"
	"berth/core/store"
)

func inspectIn(t *testing.T, dir string) *store.DB {
	t.Helper()
	db, err := Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestInspectFindsNothing(t *testing.T) {
	for name, dir := range map[string]string{"an empty folder": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "none")} {
		if db, err := Inspect(t.Context(), dir); db != nil || err != nil {
			t.Errorf("%s: %v, %v", name, db, err)
		}
		if _, err := os.Stat(filepath.Join(dir, File)); err == nil {
			t.Errorf("%s: a database was made", name)
		}
	}
}

func TestInspectLeavesEveryByte(t *testing.T) {
	unclean := leftBehind(t)
	noIndex := maps.Clone(unclean)
	delete(noIndex, File+"-shm")
	closed := t.TempDir()
	if err := filled(t, closed).Close(); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string]map[string]string{
		"a database that was closed":  contents(t, closed),
		"one whose writer was killed": unclean,
		"one without the log's index": noIndex,
		"a file of no bytes":          {File: ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			db := inspectIn(t, dir)
			fresh, err := db.Fresh(t.Context())
			if err != nil || fresh != (files[File] == "" && files[File+"-wal"] == "") {
				t.Errorf("fresh is %v, %v", fresh, err)
			}
			if !fresh {
				if got := read(t, db, `SELECT value FROM settings`); len(got) != 1 || got[0] != "a secret of the installation" {
					t.Errorf("it read %q", got)
				}
			}
			err = tryWrite(t, db, `CREATE TABLE mine (a INTEGER)`)
			if fault.CodeOf(err) != "store.broken" || !fault.Is(err, fault.Unavailable) {
				t.Errorf("a write: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			after := contents(t, dir)
			for file, content := range files {
				if after[file] != content {
					t.Errorf("%s was changed: %d bytes were %d", file, len(after[file]), len(content))
				}
			}
			for file := range after {
				if _, before := files[file]; !before {
					t.Errorf("%s was added, %d bytes", file, len(after[file]))
				}
			}
		})
	}
}

func TestInspectTellsADamagedFile(t *testing.T) {
	dir := t.TempDir()
	if err := writeInto(dir, "this is no database at all, but it is long enough to look like the header of one, which has a hundred bytes"); err != nil {
		t.Fatal(err)
	}
	db, err := Inspect(t.Context(), dir)
	if err == nil {
		_, err = db.Fresh(t.Context())
		if errClose := db.Close(); errClose != nil {
			t.Error(errClose)
		}
	}
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}
