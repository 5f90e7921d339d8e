package sqlite

import (
	"testing"

	"berth/core/coretest"
	"berth/core/store"
)

func TestStore(t *testing.T) {
	coretest.Store(t, func(t *testing.T) *store.DB { return openIn(t, t.TempDir(), nil) })
}

// openIn opens the database below dir until the test has ended.
func openIn(t *testing.T, dir string, broken func(error)) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), dir, broken)
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
