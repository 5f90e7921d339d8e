package postgres

import (
	"errors"
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

func TestStore(t *testing.T) {
	ready := prepared(t)
	coretest.Store(t, func(t *testing.T) *store.DB {
		if strings.Contains(t.Name(), "/migrations/") {
			return openAt(t, pgserver.URL(t))
		}
		return openAt(t, pgserver.Copy(t, ready))
	})
}

// prepared returns a database of the shared server with all tables: to copy it is quicker than to make each again.
func prepared(t *testing.T) (name string) {
	t.Helper()
	s := pgserver.Shared(t)
	name = s.Database(t, "template0")
	db, err := Open(t.Context(), s.URL(name), Server())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Migrate(t.Context(), epoch), db.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// openAt opens the database at address until the test has ended.
func openAt(t *testing.T, address string) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), address, Server())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}
