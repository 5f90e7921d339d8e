package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
)

func TestADatabaseThatWasCopiedElsewhereIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mark func(t *testing.T, dir string) error
		says []string // nil: it may be used
	}{
		"it was never copied": {func(*testing.T, string) error { return nil }, nil},
		"it was copied": {func(_ *testing.T, dir string) error {
			return MarkMoved(dir, "the database berth at db.example:5432", epoch)
		}, []string{"copied to the database berth at db.example:5432 on 2026-03-01 at 12:00:00 UTC", "Set DATABASE_URL", "remove "}},
		"it was copied twice": {func(t *testing.T, dir string) error {
			if err := MarkMoved(dir, "the database with a long name at first.example:5432", epoch.AddDate(0, 0, -1)); err != nil {
				t.Fatal(err)
			}
			return MarkMoved(dir, "the database b at second.example:5432", epoch)
		}, []string{"copied to the database b at second.example:5432 on 2026-03-01"}},
		"the mark was cut off": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, MovedFile), []byte(`{"moved_at":"2026-0`), 0o600)
		}, []string{"copied to a PostgreSQL database, so", "remove "}},
		"the mark is empty": {func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, MovedFile), nil, 0o600)
		}, []string{"copied to a PostgreSQL database, so"}},
		"the mark cannot be read": {func(_ *testing.T, dir string) error {
			return os.Mkdir(filepath.Join(dir, MovedFile), 0o700)
		}, []string{"copied to a PostgreSQL database, so"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.mark(t, dir); err != nil {
				t.Fatal(err)
			}
			err := Unmoved(dir)
			if c.says == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != "store.moved" {
				t.Fatalf("got %v", err)
			}
			for _, part := range append(c.says, filepath.Join(dir, MovedFile)) {
				if !strings.Contains(fault.PublicOf(err), part) {
					t.Errorf("%q is missing in %q", part, fault.PublicOf(err))
				}
			}
		})
	}
	if err := MarkMoved(filepath.Join(t.TempDir(), "none"), "x", epoch); err == nil {
		t.Error("a mark that could not be written is taken for written")
	}
}
