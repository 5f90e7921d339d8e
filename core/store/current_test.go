package store_test

import (
	"testing"

	"berth/core/fault"
)

// TestOnlyTheSchemaOfThisProgramIsCurrent: an older one is another program's to change, a newer
// one or one of another build is none to work on.
func TestOnlyTheSchemaOfThisProgramIsCurrent(t *testing.T) {
	db := opened(t)
	if err := db.Current(t.Context()); fault.CodeOf(err) != "store.older" {
		t.Errorf("an empty database: %v", err)
	}
	if len(tables(t, db)) > 0 {
		t.Error("looking at it changed it")
	}
	if err := db.Migrate(t.Context(), migratedAt); err != nil {
		t.Fatal(err)
	}
	if err := db.Current(t.Context()); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ name, change, code string }{
		{"one more step", `INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (9999, 'x', 'x', 0)`, "store.newer"},
		{"another step in place of the last", `DELETE FROM schema_steps WHERE number = (SELECT max(number) FROM schema_steps WHERE number < 9999)`, "store.altered"},
		{"a step too few", `DELETE FROM schema_steps WHERE number = 9999`, "store.older"},
	} {
		if err := execute(t, db, c.change); err != nil {
			t.Fatal(err)
		}
		if err := db.Current(t.Context()); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
