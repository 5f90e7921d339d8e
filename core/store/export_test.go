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
	KeptAudit       = keptAudit
	KeptCommands    = keptCommands
	PruneStep       = pruneStep
)

// Steps returns this program's migrations.
func Steps() fs.FS { return migrationFiles }
