package postgres

import (
	"testing"

	"berth/core/coretest"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

func TestStore(t *testing.T) {
	coretest.Store(t, func(t *testing.T) *store.DB { return openAt(t, pgserver.URL(t)) })
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
