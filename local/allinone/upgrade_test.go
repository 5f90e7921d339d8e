package allinone_test

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// older makes a database of the release before the newest step of the schema, with its keys.
func older(t *testing.T, dir, key string) {
	t.Helper()
	steps, err := filepath.Glob("../../core/store/migrations/*.sql")
	if err != nil || len(steps) < 2 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	db, err := sqlite.Open(t.Context(), dir, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	raw, err := sql.Open("sqlite", filepath.Join(dir, sqlite.File))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`)
	for i, path := range steps[:len(steps)-1] {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		exec(string(text))
		exec(`INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (?, ?, ?, 0)`, i+1, strings.TrimSuffix(filepath.Base(path), ".sql"), hex.EncodeToString(sum[:]))
	}
	secret, err := seal.ParseSecretKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ring.Wrap(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.New(db, time.Now).AddKeyRing(t.Context(), rows, ring.SealCheck()); err != nil {
		t.Fatal(err)
	}
}

// TestAnInstallationOfAnOlderReleaseStarts has the server start on what releases left, with rows in every table.
func TestAnInstallationOfAnOlderReleaseStarts(t *testing.T) {
	const key = "8f1d6c0b5a39e7426d91f0c4b8a3e57d2c6f90b1e4d8a7356f0c2b9e1d4a8c73" // of the fixtures of core/store
	fixtures, err := filepath.Glob("../../core/store/testdata/schema_*.sql")
	if err != nil || len(fixtures) < 5 {
		t.Fatalf("%d fixtures, %v", len(fixtures), err)
	}
	for _, path := range fixtures {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".sql"), func(t *testing.T) {
			dir := t.TempDir()
			left(t, filepath.Join(dir, "db_data"), path)
			p := embedded(t, dir, key, nil)
			p.answers("/readyz", 200)
			made, err := filepath.Glob(filepath.Join(dir, "backups", "*before-upgrade*"))
			if err != nil || len(made) != 1 {
				t.Errorf("before the upgrade these backups were made: %q, %v\n%s", made, err, p.log)
			}
		})
	}
}

// left lays a fixture out as the release that wrote it did.
func left(t *testing.T, dir, fixture string) {
	t.Helper()
	rows, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), dir, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	raw, err := sql.Open("sqlite", filepath.Join(dir, sqlite.File)) // which checks no references by itself
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(fixture), "schema_"), ".sql")
	steps, err := filepath.Glob("../../core/store/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	schema := `CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;`
	for _, step := range steps {
		if filepath.Base(step)[:4] <= number {
			text, err := os.ReadFile(step)
			if err != nil {
				t.Fatal(err)
			}
			schema += string(text)
		}
	}
	for _, text := range []string{schema, string(rows)} {
		if _, err := raw.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABackupIsMadeBeforeAnUpgrade(t *testing.T) {
	dir, key := t.TempDir(), freshKey()
	older(t, filepath.Join(dir, "db_data"), key)
	p := embedded(t, dir, key, nil)
	ada := p.person()
	ada.setUp()
	items := ada.ask(200, "GET", "/backups", "")["items"].([]any)
	if len(items) != 1 {
		t.Fatalf("there are %v\n%s", items, p.log)
	}
	b := items[0].(map[string]any)
	if b["reason"] != "before-upgrade" || b["schema"] != float64(store.Schema()-1) || b["problem"] != "" {
		t.Errorf("there is %v", b)
	}
	ada.add("LATER", "of the newer release")
	ada.ask(202, "POST", "/backups/"+b["name"].(string)+"/restore", "") // its rows are brought to this schema
	p.opens()
	p.person().setUp() // there was nobody yet
}
