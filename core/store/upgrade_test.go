package store_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
)

// The files in testdata are the rows of installations of earlier releases, each written by the program of that
// release: schema_0006.sql is of the one whose newest step was 0006. Every table has some. What is sealed was sealed
// under fixtureKey. They are never written anew: a release that is out does not change.

const fixtureKey = "8f1d6c0b5a39e7426d91f0c4b8a3e57d2c6f90b1e4d8a7356f0c2b9e1d4a8c73"

// fixture is an installation of an earlier release.
type fixture struct {
	schema int
	rows   map[string][]string // the statements that put them there, by table
}

func readFixtures(t *testing.T) (all []fixture) {
	t.Helper()
	paths, err := filepath.Glob("testdata/schema_*.sql")
	if err != nil || len(paths) < 5 {
		t.Fatalf("there are %d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "schema_"), ".sql"))
		if err != nil {
			t.Fatal(err)
		}
		f := fixture{number, map[string][]string{}}
		for i, statement := range strings.Split("\n"+string(text), "\nINSERT INTO ") {
			if i > 0 {
				table, _, _ := strings.Cut(statement, " ")
				f.rows[table] = append(f.rows[table], "INSERT INTO "+strings.TrimSuffix(strings.TrimSpace(statement), ";"))
			}
		}
		all = append(all, f)
	}
	return all
}

// stepsTo are this program's steps up to one, which are those that the release of that schema had.
func stepsTo(t *testing.T, schema int) fs.FS {
	t.Helper()
	some := fstest.MapFS{}
	names, err := fs.Glob(store.Steps(), "migrations/*.sql")
	if err != nil || len(names) < schema {
		t.Fatalf("%d steps, %v", len(names), err)
	}
	for _, name := range names[:schema] {
		text, err := fs.ReadFile(store.Steps(), name)
		if err != nil {
			t.Fatal(err)
		}
		some[name] = &fstest.MapFile{Data: text}
	}
	return some
}

// bytesOf finds bytes as SQLite writes them; a quote inside of a text is doubled, so that no text looks like them.
var bytesOf = regexp.MustCompile(`([(,] ?)x'([0-9A-F]*)'`)

// laidOut is a database as the release left it.
func (f fixture) laidOut(t *testing.T) *store.DB {
	t.Helper()
	db := opened(t)
	if err := store.MigrateWith(t.Context(), db, stepsTo(t, f.schema), migratedAt); err != nil {
		t.Fatal(err)
	}
	var order []string // what others refer to comes first
	for _, table := range append(slices.Clone(store.CopiedTables()), "hubs", "hubs_gone", "leases", "worker_port") {
		order = append(order, f.rows[table]...)
	}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, statement := range order {
			if onPostgres {
				statement = bytesOf.ReplaceAllString(statement, `$1'\x$2'::bytea`)
			}
			if _, err := store.Exec(tx, statement); err != nil {
				return fmt.Errorf("%.80s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// held are the rows of every table of an installation, of the columns that its release had.
func (f fixture) held(t *testing.T, db *store.DB, columns map[string][]string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for table := range f.rows {
		if table == "schema_steps" {
			continue
		}
		sum, err := store.SumOfColumns(t.Context(), db, table, columns[table])
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		sums[table] = sum
	}
	return sums
}

func TestEveryReleaseIsUpgradedWithAllThatItHolds(t *testing.T) {
	for _, f := range readFixtures(t) {
		t.Run(fmt.Sprintf("schema %d", f.schema), func(t *testing.T) {
			db := f.laidOut(t)
			columns := map[string][]string{}
			for table := range f.rows {
				var err error
				if columns[table], err = store.ColumnsOf(t.Context(), db, table); err != nil {
					t.Fatal(err)
				}
			}
			if released := len(f.rows["schema_steps"]); released != f.schema {
				t.Errorf("it says that it has schema %d", released)
			}
			f.sameSteps(t, db)
			was := f.held(t, db, columns)
			if err := db.Migrate(t.Context(), migratedAt); err != nil {
				t.Fatal(err)
			}
			for table, is := range f.held(t, db, columns) {
				if is != was[table] {
					t.Errorf("the rows of %s are %s, and were %s", table, is, was[table])
				}
			}
			f.sound(t, db)
			f.opens(t, store.New(db, func() time.Time { return migratedAt }), db)
			if f.schema < store.Schema() {
				if err := store.MigrateWith(t.Context(), db, stepsTo(t, f.schema), migratedAt); fault.CodeOf(err) != "store.newer" {
					t.Errorf("the release that made it starts on what it became: %v", err)
				}
			}
		})
	}
}

// sameSteps holds the steps that the release applied against this program's.
func (f fixture) sameSteps(t *testing.T, db *store.DB) {
	t.Helper()
	sums, err := texts(t, db, `SELECT checksum FROM schema_steps ORDER BY number`)
	if err != nil || len(sums) != f.schema {
		t.Fatalf("there are %d steps, %v", len(sums), err)
	}
	released := strings.Join(f.rows["schema_steps"], "\n")
	for i, sum := range sums {
		if !strings.Contains(released, "'"+sum+"'") {
			t.Errorf("step %d was changed after it was released", i+1)
		}
	}
}

// sound asks the database itself.
func (f fixture) sound(t *testing.T, db *store.DB) {
	t.Helper()
	if onPostgres {
		return // it refuses rows that refer to nothing when they are put in
	}
	for query, want := range map[string][]string{`PRAGMA integrity_check`: {"ok"}, `PRAGMA foreign_key_check`: nil} {
		if got, err := texts(t, db, query); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", query, got, err)
		}
	}
}

// sealedColumns are where values are sealed: table, what identifies the row, column.
var sealedColumns = [][3]string{{"sealed_settings", "name", "sealed"}, {"credentials", "id", "sealed"}, {"variables", "id", "sealed"}, {"integrations", "slug", "sealed"},
	{"webhook_secrets", "id", "sealed"}, {"repositories", "id", "sops_age_key"}, {"job_runs", "fire_id", "overrides"}, {"outbox", "id", "sealed"}, {"second_factors", "user_id", "sealed"}}

// opens opens every sealed value that the release had.
func (f fixture) opens(t *testing.T, s *store.Store, db *store.DB) {
	t.Helper()
	secret, err := seal.ParseSecretKey(fixtureKey)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.KeyRing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ring, _, err := seal.Unlock(secret, seal.SecretKey{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	if check, err := s.KeyCheck(t.Context()); err != nil || ring.OpenCheck(check) != nil {
		t.Errorf("the check value: %v, %v", err, ring.OpenCheck(check))
	}
	opened := 0
	for _, c := range sealedColumns {
		for _, row := range f.sealedRows(t, db, c) {
			text, err := ring.Open(seal.Place{Table: c[0], Row: row.id, Column: c[2]}, row.sealed)
			if want := fmt.Sprintf(`{"of":"%s %s"}`, c[0], row.id); err != nil || string(text) != want {
				t.Errorf("%s of %s %q is %q, %v", c[2], c[0], row.id, text, err)
			}
			opened++
		}
	}
	if opened < 3 {
		t.Errorf("only %d values are sealed", opened)
	}
}

type sealedRow struct {
	id     string
	sealed seal.Sealed
}

func (f fixture) sealedRows(t *testing.T, db *store.DB, c [3]string) (all []sealedRow) {
	t.Helper()
	hex := `hex(` + c[2] + `)`
	if onPostgres {
		hex = `encode(` + c[2] + `, 'hex')`
	}
	found, err := texts(t, db, `SELECT `+c[1]+` || ' ' || `+hex+` FROM `+c[0]+` WHERE `+c[2]+` IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range found {
		id, digits, _ := strings.Cut(text, " ")
		if c[0] == "sealed_settings" && id != "worker_port" {
			continue // the check has a form of its own
		}
		var blob []byte
		if _, err := fmt.Sscanf(digits, "%x", &blob); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, sealedRow{id, blob})
	}
	return all
}
