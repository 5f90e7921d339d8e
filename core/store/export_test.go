package store

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
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
	KeptRuns        = keptRuns
	KeptFires       = keptFires
	KeptFired       = keptFired
	PruneStep       = pruneStep
	PrunePieces     = prunePieces
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

// Retry makes a database ask for transactions to be run again that end with what retry says.
func Retry(db *DB, retry func(error) bool) { db.dialect.Retry = retry }

// EndWithin is EndDeployment inside a transaction.
func EndWithin(tx *Tx, s *Store, o stacks.Outcome) error {
	_, err := s.end(tx, o, nil)
	return err
}

// FireWithin is Fire inside a transaction.
func FireWithin(tx *Tx, s *Store, ids []core.JobID, at time.Time, decide func(jobs.Job, []jobs.Run) jobs.Firing) ([]jobs.Run, error) {
	return s.fire(tx, ids, at, decide)
}

// Steps returns this program's migrations.
func Steps() fs.FS { return migrationFiles }

// CopiedTables are the tables that Copy copies.
func CopiedTables() []string { return copied }

// SumOf is the number of rows of a table and their digest, as Copy compares them.
func SumOf(ctx context.Context, db *DB, table string) (text string) {
	err := db.Read(ctx, func(tx *Tx) error {
		columns, _, err := columnsOf(tx, table)
		if err != nil {
			return err
		}
		sum, err := sumOf(tx, table, columns)
		text = fmt.Sprintf("%d %x", sum.rows, sum.digest)
		return err
	})
	if err != nil {
		return err.Error()
	}
	return text
}

// Waiting returns how many writes wait in line for the one writer.
func Waiting(db *DB) int {
	db.together.mu.Lock()
	defer db.together.mu.Unlock()
	return len(db.together.waiting)
}

// Commits returns how many transactions of the writer have ended with a commit.
func Commits(db *DB) uint64 { return db.commits.Load() }

// Together says whether the writes that wait share a commit, for a comparison.
func Together(db *DB, shared bool) { db.dialect.Crowded = !shared }

// ColumnsOf are the names of a table's columns.
func ColumnsOf(ctx context.Context, db *DB, table string) (columns []string, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		columns, _, err = columnsOf(tx, table)
		return err
	})
	return columns, err
}

// SumOfColumns is SumOf of some columns alone.
func SumOfColumns(ctx context.Context, db *DB, table string, columns []string) (text string, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		sum, err := sumOf(tx, table, columns)
		text = fmt.Sprintf("%d %x", sum.rows, sum.digest)
		return err
	})
	return text, err
}

// ReadArchiver reads what PostgreSQL says of its archived log.
var ReadArchiver = readArchiver

// SealedColumns are the columns that hold envelopes, as table.column.
func SealedColumns() (names []string) {
	for _, c := range sealedColumns {
		names = append(names, c.table+"."+c.column)
	}
	return names
}

// Told returns what was told to those who had seen a count.
func Told(db *DB, seen uint64) []core.ChangeOf {
	found, _ := db.changes.since(seen)
	return found.Of
}
