package postgres

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// Limits inside the server. The caller's context ends a statement sooner; these are for a caller
// that is gone without a word.
const (
	statementTime = 30 * time.Second
	alterTime     = 10 * time.Minute // of a statement that changes the schema
	lockTime      = 10 * time.Second // waiting for other writers
	idleTime      = 10 * time.Second // between two statements of a transaction: one who stands still must not keep rows from the others
)

// The ways a transaction begins, as store.Dialect asks for them. database/sql carries no more than an
// isolation level to the driver.
var (
	reading   = sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	writing   = sql.TxOptions{Isolation: sql.LevelSerializable}
	repeating = sql.TxOptions{Isolation: sql.LevelLinearizable} // serializable, and nobody else writes
	altering  = sql.TxOptions{Isolation: sql.LevelReadCommitted}
	filling   = sql.TxOptions{Isolation: sql.LevelSnapshot} // nobody else writes, for long
)

// schemaLock is the advisory lock of whoever changes the schema; any number that nobody else uses.
const schemaLock = 0x6265727468 // "berth"

// beginning is the SQL that begins a transaction.
func beginning(opts driver.TxOptions) string {
	limits := limited(statementTime, lockTime)
	switch level := sql.IsolationLevel(opts.Isolation); {
	case opts.ReadOnly:
		return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ` + limits
	case level == sql.LevelSerializable:
		return `BEGIN ISOLATION LEVEL SERIALIZABLE; ` + limits + `LOCK TABLE schema_steps IN ROW EXCLUSIVE MODE`
	case level == sql.LevelLinearizable:
		return `BEGIN ISOLATION LEVEL SERIALIZABLE; ` + limits + `LOCK TABLE schema_steps IN EXCLUSIVE MODE`
	case level == sql.LevelSnapshot:
		return `BEGIN ISOLATION LEVEL REPEATABLE READ; ` + limited(alterTime, lockTime) + `LOCK TABLE schema_steps IN EXCLUSIVE MODE`
	case level == sql.LevelReadCommitted: // each statement sees what was committed before it
		return `BEGIN ISOLATION LEVEL READ COMMITTED; ` + limited(alterTime, alterTime) + fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, schemaLock)
	}
	return `BEGIN; ` + limits
}

func limited(statement, lock time.Duration) string {
	return fmt.Sprintf(`SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; `,
		statement.Milliseconds(), lock.Milliseconds(), idleTime.Milliseconds())
}
