package store

import (
	"context"
	"io/fs"
	"time"
)

// MigrateWith is Migrate with other steps than this program's.
func MigrateWith(ctx context.Context, db *DB, files fs.FS, now time.Time) error {
	return db.migrate(ctx, files, now)
}

// What the tests must know to reach the limits.
const (
	KeptDecisions   = keptDecisions
	KeptDeployments = keptDeployments
	KeptRevisions   = keptRevisions
	KeptAudit       = keptAudit
	KeptCommands    = keptCommands
	PruneStep       = pruneStep
	Scarce          = scarce
)

// Overhear tells hear every statement that runs on db from now on.
func Overhear(db *DB, hear func(query string)) {
	placeholder := db.dialect.Placeholder
	db.dialect.Placeholder = func(query string) string {
		hear(query)
		return placeholder(query)
	}
}

// Steps returns this program's migrations.
func Steps() fs.FS { return migrationFiles }
