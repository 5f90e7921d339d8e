package postgres

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// migrated opens a database of a server with this program's schema.
func migrated(t *testing.T, address string) *store.DB {
	t.Helper()
	db := openAt(t, address)
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	return db
}

func put(t *testing.T, db *store.DB, name string) error {
	t.Helper()
	return db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES (?, '')`, name)
		return err
	})
}

func names(t *testing.T, db *store.DB) (all []string, err error) {
	t.Helper()
	return all, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = store.Texts(tx, `SELECT name FROM settings ORDER BY name`)
		return err
	})
}

// TestAServerThatRestarts leaves a process that goes on: what is asked while it is away fails and says so,
// and the first thing after that works, whatever became of the connections.
func TestAServerThatRestarts(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{Durable: true})
	db := migrated(t, s.URL(s.Database(t, "template0")))
	// Every connection of the pools has been used.
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := errors.Join(put(t, db, fmt.Sprint("before ", i)), second(names(t, db))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want := 12
	for round, end := range []func(){s.Stop, s.Kill} {
		end()
		for what, err := range map[string]error{"write": put(t, db, "away"), "read": second(names(t, db))} {
			if fault.CodeOf(err) != "store.away" || !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.PublicOf(err), "cannot be reached") {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if err := put(t, db, fmt.Sprint("after ", round)); err != nil {
			t.Errorf("the first write after a restart: %v", err)
		}
		want++
		if got, err := names(t, db); err != nil || len(got) != want {
			t.Errorf("round %d: %d are stored, want %d: %v", round, len(got), want, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestAnIdleServerThatRestarts: nobody has met the dead connections yet.
func TestAnIdleServerThatRestarts(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{})
	db := migrated(t, s.URL(s.Database(t, "template0")))
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := errors.Join(put(t, db, fmt.Sprint(i)), second(names(t, db))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s.Stop()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		all.Go(func() {
			if err := errors.Join(put(t, db, fmt.Sprint("again ", i)), second(names(t, db))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestACommitThatIsNotConfirmed: the connection ends before the answer comes. What the server did is not known here.
func TestACommitThatIsNotConfirmed(t *testing.T) {
	db := migrated(t, pgserver.URL(t))
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES ('a', '')`); err != nil {
			return err
		}
		pid, err := store.Texts(tx, `SELECT pg_backend_pid()::text`)
		if err != nil {
			return err
		}
		return db.Read(t.Context(), func(tx *store.Tx) error { // another connection ends this one
			_, err := store.Texts(tx, `SELECT pg_terminate_backend(`+pid[0]+`, 60000)::text`)
			return err
		})
	})
	if fault.CodeOf(err) != "store.unconfirmed" || !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	if err := put(t, db, "b"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAConnectionThatEndsHalfWay(t *testing.T) {
	db := migrated(t, pgserver.URL(t))
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := store.Texts(tx, `SELECT pg_terminate_backend(pg_backend_pid())::text`)
		return err
	})
	if fault.CodeOf(err) != "store.away" {
		t.Errorf("got %v", err)
	}
	if err := put(t, db, "b"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestWhyThereIsNoConnection: each reason is told in words, and the password in none.
func TestWhyThereIsNoConnection(t *testing.T) {
	s := pgserver.Shared(t)
	good := s.TCP(s.Database(t, "template0"))
	secret := strings.Split(pgserver.Password, ": ")[1]
	latin := s.Database(t, "template0")
	if err := s.Exec("postgres", `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Exec("postgres", `DROP DATABASE latin WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	for name, c := range map[string]struct{ address, code, says string }{
		"another password":       {strings.Replace(good, "s3cr3t", "canary-s3cr3t", 1), "store.unsuitable", "refused the user or the password"},
		"no such user":           {strings.Replace(good, "//berth:", "//nobody:", 1), "store.unsuitable", "refused the user or the password"},
		"no such database":       {s.TCP("none"), "store.unsuitable", "database none at 127.0.0.1"},
		"nobody listens":         {"postgres://berth:s3cr3t@127.0.0.1:1/b", "store.away", "database b at 127.0.0.1:1 cannot be reached"},
		"another encoding":       {s.TCP("latin"), "store.unsuitable", "encoding LATIN1"},
		"an unknown setting":     {good + "?wormhole=1", "store.unsuitable", "after its question mark"},
		"a setting's bad value":  {good + "?work_mem=much", "store.unsuitable", "after its question mark"},
		"TLS is asked for":       {good + "?sslmode=require", "store.unsuitable", "does not encrypt connections"},
		"a name that is no host": {"postgres://berth:s3cr3t@no-such-host.invalid/b?sslmode=disable", "store.away", "does not find a host of that name"},
	} {
		_, err := Open(t.Context(), c.address, Function())
		if fault.CodeOf(err) != c.code || !strings.Contains(fault.PublicOf(err), c.says) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if db, err := Open(t.Context(), good, Function()); err != nil {
		t.Errorf("the right one of %s: %v", latin, err)
	} else if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestProcessesThatStartTogetherMigrateOnce on one empty database.
func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	address := pgserver.URL(t)
	var all sync.WaitGroup
	for range 6 {
		db := openAt(t, address)
		all.Go(func() {
			if err := db.Migrate(t.Context(), epoch); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	db := openAt(t, address)
	if err := db.Current(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWritersOfSeveralProcessesLoseNothing: each counts up what another may be counting up.
func TestWritersOfSeveralProcessesLoseNothing(t *testing.T) {
	address := pgserver.URL(t)
	migrated(t, address)
	const processes, writers, rounds = 3, 4, 10
	var all sync.WaitGroup
	if err := put(t, openAt(t, address), "x"); err != nil {
		t.Fatal(err)
	}
	for range processes {
		db := openAt(t, address)
		for range writers {
			all.Go(func() {
				for range rounds {
					if err := db.Write(t.Context(), func(tx *store.Tx) error {
						before, err := store.Texts(tx, `SELECT value FROM settings WHERE name = 'x'`)
						if err != nil {
							return err
						}
						_, err = store.Exec(tx, `UPDATE settings SET value = ? WHERE name = 'x'`, before[0]+"i")
						return err
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	var value []string
	if err := openAt(t, address).Read(t.Context(), func(tx *store.Tx) (err error) {
		value, err = store.Texts(tx, `SELECT value FROM settings`)
		return err
	}); err != nil || len(value[0]) != processes*writers*rounds {
		t.Errorf("%d were counted, want %d: %v", len(value[0]), processes*writers*rounds, err)
	}
}

func TestAFunctionHoldsFewConnections(t *testing.T) {
	s := pgserver.Shared(t)
	name := s.Database(t, "template0")
	db, err := Open(t.Context(), s.URL(name), Function())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := errors.Join(put(t, db, fmt.Sprint(i)), second(names(t, db))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n, err := s.Ask("postgres", `SELECT count(*)::text FROM pg_stat_activity WHERE datname = '`+name+`' AND application_name = 'berth-function'`); err != nil || n != "2" {
		t.Errorf("it holds %s connections, %v", n, err)
	}
}
