package store_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"berth/core/fault"
	"berth/core/store"
)

// steps makes migrations of statements, numbered from 1.
func steps(statements ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i, sql := range statements {
		files[fmt.Sprintf("migrations/%04d_step.sql", i+1)] = &fstest.MapFile{Data: []byte("-- why\n" + sql)}
	}
	return files
}

var migratedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tables are the names of the tables of a database.
func tables(t *testing.T, db *store.DB) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`
	if onPostgres {
		query = `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
	}
	names, err := texts(t, db, query)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestStepsAreAppliedInOrder(t *testing.T) {
	db := opened(t)
	first, second := `CREATE TABLE a (x INTEGER); CREATE TABLE b (x INTEGER);`, `ALTER TABLE a RENAME TO c;`
	for _, c := range []struct {
		files fs.FS
		want  []string
	}{
		{steps(first), []string{"a", "b", "schema_steps"}},
		{steps(first, second), []string{"b", "c", "schema_steps"}},
		{steps(first, second), []string{"b", "c", "schema_steps"}},
	} {
		if err := store.MigrateWith(t.Context(), db, c.files, migratedAt); err != nil {
			t.Fatal(err)
		}
		if got := tables(t, db); !slices.Equal(got, c.want) {
			t.Errorf("tables are %q, want %q", got, c.want)
		}
	}
}

func TestAStepThatFailsLeavesNothing(t *testing.T) {
	db := opened(t)
	good := `CREATE TABLE a (x INTEGER);`
	if err := store.MigrateWith(t.Context(), db, steps(good+good), migratedAt); err == nil || !strings.Contains(err.Error(), "0001_step") {
		t.Errorf("the first step: %v", err)
	}
	if fresh, err := db.Fresh(t.Context()); err != nil || !fresh {
		t.Errorf("fresh is %v, %v", fresh, err)
	}
	if err := store.MigrateWith(t.Context(), db, steps(good, `CREATE TABLE b (x INTEGER); no sql;`), migratedAt); err == nil || !strings.Contains(err.Error(), "0002_step") {
		t.Errorf("the second step: %v", err)
	}
	if got := tables(t, db); !slices.Equal(got, []string{"a", "schema_steps"}) {
		t.Errorf("tables are %q", got)
	}
	if err := store.MigrateWith(t.Context(), db, steps(good, `CREATE TABLE b (x INTEGER);`), migratedAt); err != nil {
		t.Errorf("corrected: %v", err)
	}
}

func TestADatabaseOfAnotherProgramIsLeftAlone(t *testing.T) {
	one, two := `CREATE TABLE a (x INTEGER);`, `CREATE TABLE b (x INTEGER);`
	for name, c := range map[string]struct {
		files fs.FS
		code  string
	}{
		"an older program":                     {steps(one), "store.newer"},
		"another first step":                   {steps(two, two, `CREATE TABLE c (x INTEGER);`), "store.altered"},
		"another last step, and one more":      {steps(one, one+" -- a comment", `CREATE TABLE c (x INTEGER);`), "store.altered"},
		"a program with the same and one more": {steps(one, two, `CREATE TABLE c (x INTEGER);`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			db := opened(t)
			if err := store.MigrateWith(t.Context(), db, steps(one, two), migratedAt); err != nil {
				t.Fatal(err)
			}
			err := store.MigrateWith(t.Context(), db, c.files, migratedAt)
			if c.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if fault.CodeOf(err) != c.code || !fault.Is(err, fault.Conflict) {
				t.Errorf("got %v, want %s", err, c.code)
			}
			if got := tables(t, db); !slices.Equal(got, []string{"a", "b", "schema_steps"}) {
				t.Errorf("tables are %q", got)
			}
		})
	}
}

func TestNumbersWithoutGap(t *testing.T) {
	for name, file := range map[string]string{
		"a gap": "0003_later.sql", "a number twice": "0001_again.sql", "no number": "later.sql", "text for a number": "x002_later.sql", "none at all": "_later.sql",
	} {
		db := opened(t)
		files := steps(`CREATE TABLE a (x INTEGER);`)
		files["migrations/"+file] = &fstest.MapFile{Data: []byte("-- why\nCREATE TABLE b (x INTEGER);")}
		if err := store.MigrateWith(t.Context(), db, files, migratedAt); err == nil || !strings.Contains(err.Error(), "want number") {
			t.Errorf("%s: %v", name, err)
		}
		if fresh, err := db.Fresh(t.Context()); err != nil || !fresh {
			t.Errorf("%s: something was applied: %v", name, err)
		}
	}
}

// TestOurSteps holds each migration to the house's form: a name that orders it, and a first
// line that says why.
func TestOurSteps(t *testing.T) {
	shape := regexp.MustCompile(`^migrations/[0-9]{4}_[a-z][a-z0-9_]*\.sql$`)
	names, err := fs.Glob(store.Steps(), "migrations/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		content, err := fs.ReadFile(store.Steps(), name)
		if err != nil || !shape.MatchString(name) || !regexp.MustCompile(`^-- [A-Z].{20,}\n`).Match(content) {
			t.Errorf("%s: wrong name, or no first line that says why: %v", name, err)
		}
	}
}
