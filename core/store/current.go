package store

import (
	"context"

	"berth/core/fault"
)

// Current says whether the schema is this program's, for programs that leave changing it to
// another. Unavailable "store.older" when that has not been done yet; Conflict as Migrate.
func (db *DB) Current(ctx context.Context) error {
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	applied, err := db.applied(ctx)
	switch {
	case err != nil:
		return err
	case len(applied) > len(steps):
		return newer(len(applied), len(steps))
	case len(applied) < len(steps):
		return fault.New(fault.Unavailable, "store.older",
			"The database has schema %d, this program needs %d. Start the hub of this release on it, which brings it there.", len(applied), len(steps))
	}
	for i, step := range steps {
		if applied[i] != step.checksum {
			return altered(step)
		}
	}
	return nil
}
