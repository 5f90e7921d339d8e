package store_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/store"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	"berth/local/stand/pgserver"
)

// onPostgres says that the tests run for the second time, on PostgreSQL.
var onPostgres bool

// opened is a new database without schema.
func opened(t testing.TB) *store.DB {
	t.Helper()
	if onPostgres {
		return connected(t, pgserver.URL(t))
	}
	return openedIn(t, t.TempDir())
}

// migrated is a new database with this program's schema: as a store uses it, and once more for what a test
// looks at and puts in place by itself.
func migrated(t testing.TB) (db, raw *store.DB) {
	t.Helper()
	if onPostgres {
		address := lent(t)
		return connected(t, address), connected(t, address)
	}
	dir := t.TempDir()
	db = openedIn(t, dir)
	if err := db.Migrate(t.Context(), migratedAt); err != nil {
		t.Fatal(err)
	}
	return db, openedIn(t, dir)
}

// free are databases on the shared server with this program's schema and empty tables: making one
// takes longer than most tests, so they are used again. spoilt says that the test which runs has
// changed a schema. The tests of this package run one after the other.
var (
	free   []string
	spoilt bool
)

// lent is the address of a database for one test.
func lent(t testing.TB) string {
	t.Helper()
	s := pgserver.Shared(t)
	if len(free) == 0 {
		free = append(free, prepared(t, s))
	}
	name := free[len(free)-1]
	free = free[:len(free)-1]
	t.Cleanup(func() {
		if spoilt {
			spoilt = false
			return
		}
		if err := s.Exec(name, `SELECT empty_all()`); err != nil {
			t.Error(err)
		}
		free = append(free, name)
	})
	return s.URL(name)
}

// prepared makes a database with this program's schema.
func prepared(t testing.TB, s *pgserver.Server) string {
	t.Helper()
	name := fmt.Sprintf("lent_%d", time.Now().UnixNano())
	if err := s.Exec("postgres", `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), s.URL(name), postgres.Server())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Migrate(t.Context(), migratedAt), db.Close(), s.Exec(name, likeSQLite, emptyAll)); err != nil {
		t.Fatal(err)
	}
	return name
}

// What the tests' own statements need beside PostgreSQL's functions: some of SQLite's printf, and an end.
const (
	likeSQLite = `CREATE FUNCTION printf(f text, n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
			SELECT CASE WHEN f ~ '%0[0-9]+d' THEN regexp_replace(f, '%0[0-9]+d', lpad(n::text, substring(f from '%0([0-9]+)d')::int, '0'))
			ELSE replace(f, '%d', n::text) END $$;
		CREATE FUNCTION printf(f text, n bigint, same bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT printf(f, n) $$`
	emptyAll = `CREATE FUNCTION empty_all() RETURNS bigint LANGUAGE plpgsql AS $$
		DECLARE t record; total bigint := 0; n bigint;
		BEGIN
			SET LOCAL session_replication_role = replica; -- in any order
			FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_steps' LOOP
				EXECUTE 'DELETE FROM ' || t.tablename;
				GET DIAGNOSTICS n = ROW_COUNT;
				total := total + n;
			END LOOP;
			RETURN total;
		END $$`
)

func openedIn(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), dir, nil)
	return closedLater(t, db, err)
}

func connected(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Server())
	return closedLater(t, db, err)
}

func closedLater(t testing.TB, db *store.DB, err error) *store.DB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var numbered = regexp.MustCompile(`\?([0-9])`)

// said is a statement of a test, which is written for SQLite, as the database understands it.
func said(query string) string {
	if !onPostgres {
		return query
	}
	return numbered.ReplaceAllString(strings.ReplaceAll(query, `x'00'`, `'\x00'::bytea`), `$$$1`)
}

// execute runs a statement of a test.
func execute(t testing.TB, db *store.DB, query string, args ...any) error {
	t.Helper()
	return db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, said(query), args...)
		return err
	})
}

// texts returns the first column of a query of a test.
func texts(t testing.TB, db *store.DB, query string, args ...any) (all []string, err error) {
	t.Helper()
	return all, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = store.Texts(tx, said(query), args...)
		return err
	})
}

// number returns the one number that a query of a test tells.
func number(t testing.TB, db *store.DB, query string, args ...any) int {
	t.Helper()
	all, err := texts(t, db, query, args...)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %q, %v", query, all, err)
	}
	n, err := strconv.Atoi(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
