package allinone_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/backups"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/archive"
	"berth/hub/adapter/sqlite"
)

// forger makes archives with any database, as whoever has the SECRET_KEY can.
type forger struct {
	t       *testing.T
	archive *archive.Archive
	head    backups.Head
	whole   []byte // the database of a good backup
}

func newForger(t *testing.T, key string, good []byte) *forger {
	t.Helper()
	secret, err := seal.ParseSecretKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := &forger{t: t, archive: archive.New(secret, seal.SecretKey{}, ring)}
	f.head, err = f.archive.Read(bytes.NewReader(good), func(m backups.Member, content io.Reader) (err error) {
		if m.Name == backups.Database {
			f.whole, err = io.ReadAll(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// with is the archive of a database.
func (f *forger) with(database []byte) string {
	f.t.Helper()
	var to bytes.Buffer
	if err := f.archive.Write(&to, f.head, func(add archive.Adder) error {
		return add(backups.Database, int64(len(database)), bytes.NewReader(database))
	}); err != nil {
		f.t.Fatal(err)
	}
	return to.String()
}

// changed is the good database after these statements.
func (f *forger) changed(t *testing.T, statements ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), sqlite.File)
	if err := os.WriteFile(path, f.whole, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // so that a pragma holds for what follows
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// overwritten is the good database with a piece of something else in each page from the second on.
func (f *forger) overwritten() []byte {
	content := bytes.Clone(f.whole)
	for at := 4096; at < len(content); at += 4096 {
		copy(content[at:], "nothing of a database is here")
	}
	return content
}

// TestB10OnlyRowsComeOutOfADatabase: what a database may hold beside rows in tables of ours does not get into what is
// restored, and what is none of ours is refused while everything is as it was.
func TestB10OnlyRowsComeOutOfADatabase(t *testing.T) {
	dir, key := t.TempDir(), freshKey()
	p := embedded(t, dir, key, nil)
	ada := p.person()
	ada.setUp()
	ada.add("KEPT", "in the backup")
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	f := newForger(t, key, ada.raw(200, "GET", "/backups/"+name, "", nil))
	ada.add("NOW", "what there is")

	byHand := []string{"PRAGMA writable_schema=ON", "PRAGMA defensive=OFF"}
	for name, c := range map[string]struct {
		database []byte
		status   int
		code     string
	}{
		"no database":                    {[]byte(strings.Repeat("rows ", 5000)), 422, "backup.damaged"},
		"nothing":                        {nil, 422, "backup.damaged"},
		"half of one":                    {f.whole[:len(f.whole)/2/4096*4096], 422, "backup.damaged"},
		"one that lost its last page":    {f.whole[:len(f.whole)-4096], 422, "backup.damaged"},
		"pages that hold something else": {f.overwritten(), 422, "backup.damaged"},
		"another program's":              {f.changed(t, "DROP TABLE schema_steps"), 422, "backup.damaged"},
		"a table that is none of ours":   {f.changed(t, "CREATE TABLE extra (x TEXT)"), 422, "backup.damaged"},
		"a table that a program makes":   {f.changed(t, "CREATE VIRTUAL TABLE extra USING fts5(x)"), 422, "backup.damaged"},
		"a view without end in a table's place": {f.changed(t, "DROP TABLE webhook_deliveries",
			"CREATE VIEW webhook_deliveries AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS id FROM n"), 422, "backup.damaged"},
		"a table that lacks a column":       {f.changed(t, "ALTER TABLE settings DROP COLUMN value"), 422, "backup.damaged"},
		"a table with one column more":      {f.changed(t, "ALTER TABLE users ADD COLUMN more TEXT"), 422, "backup.damaged"},
		"rows that refer to nothing":        {f.changed(t, "PRAGMA foreign_keys=OFF", "DELETE FROM users"), 422, "backup.damaged"},
		"a schema that was written by hand": {f.changed(t, append(byHand, "UPDATE sqlite_schema SET sql = 'CREATE TABLE settings (nothing)' WHERE name = 'settings'")...), 422, "backup.damaged"},
		"a table that shows another's rows": {f.changed(t, append(byHand, "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'users') WHERE name = 'settings'")...), 422, "backup.damaged"},
		"a step that is not ours":           {f.changed(t, "UPDATE schema_steps SET checksum = 'other' WHERE number = 2"), 422, "backup.damaged"},
		"a newer schema than its head says": {f.changed(t, fmt.Sprintf("INSERT INTO schema_steps SELECT %d, 'later', 'x', 1", store.Schema()+1)), 422, "backup.damaged"},
		"no key ring":                       {f.changed(t, "DELETE FROM key_ring"), 422, "backup.damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			ada := &person{&program{t: t, log: p.log, http: p.http}, ada.http}
			brought := ada.ask(201, "POST", "/backups/upload", f.with(c.database))["name"].(string) // the archive itself is whole
			if got := ada.ask(c.status, "POST", "/backups/"+brought+"/restore", ""); got["code"] != c.code {
				t.Errorf("it is answered %v\n%s", got, p.log)
			}
			if got := ada.names(); got != "KEPT NOW" {
				t.Errorf("there are the variables %s", got)
			}
			for _, left := range []string{"restore.json", ".restored", ".unpacked"} {
				if _, err := os.Lstat(filepath.Join(dir, "db_data", left)); !os.IsNotExist(err) {
					t.Errorf("%s is left: %v", left, err)
				}
			}
		})
	}

	odd := f.changed(t, "CREATE TRIGGER grab AFTER INSERT ON variables BEGIN UPDATE users SET email = 'mallory@example.org'; END",
		"CREATE TRIGGER grab2 AFTER UPDATE ON workers BEGIN DELETE FROM users; END", "CREATE VIEW everybody AS SELECT * FROM users", "CREATE INDEX extra ON users (email, id)")
	brought := ada.ask(201, "POST", "/backups/upload", f.with(odd))["name"].(string)
	ada.ask(202, "POST", "/backups/"+brought+"/restore", "")
	p.opens()
	ada.signIn()
	ada.add("AFTER", "which nothing hears")
	ada.signIn()
	if got := ada.names(); got != "KEPT AFTER" {
		t.Errorf("there are the variables %s\n%s", got, p.log)
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "db_data", sqlite.File)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var left int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view') OR name IN ('extra', 'grab', 'everybody')").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d things beside rows came along: %v", left, err)
	}
}
