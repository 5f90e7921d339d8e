package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"berth/core"
	"berth/core/fault"
)

// DB hands out transactions. With SQLite it has one writer connection and a pool of
// readers; with a server there are several writers, and other processes.
type DB struct {
	writer  *sql.DB
	readers *sql.DB
	dialect Dialect
	// broken is called with an error that means a commit may or may not be on disk; going
	// on would risk showing what is not stored.
	broken  func(error)
	closed  atomic.Bool   // after such an error: nothing is read or written any more
	ground  Ground        // nil: unknown
	meter   Meter         // nil: nobody counts
	defect  func(error)   // nil: nobody is told
	commits atomic.Uint64 // of this process: what was read before the last one may have changed
	reads   reads
	writing writing

	together together // of a database with one writer
	changes  changes
}

// NewDB joins a writer and a pool of readers of one database. They may be the same.
// broken may be nil; otherwise it is called when a commit fails with an I/O error, and ends the
// process; until then every transaction is refused. Other failures leave the rows as they were and
// are faults only.
func NewDB(writer, readers *sql.DB, dialect Dialect, broken func(error)) *DB {
	return &DB{writer: writer, readers: readers, dialect: dialect, broken: broken}
}

// Close closes both pools.
func (db *DB) Close() error {
	err := db.writer.Close()
	if db.readers != db.writer {
		err = errors.Join(err, db.readers.Close())
	}
	return err
}

// Read runs fn in a read-only transaction: one consistent view, no locks that block writers.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	ctx, done := db.reads.begin(ctx)
	defer done()
	return db.in(ctx, db.readers, db.dialect.Reading, &Tx{}, fn)
}

// maxAttempts bounds how often a database may ask for a write to be run again.
const maxAttempts = 5

var errReadOnly = fault.New(fault.Unavailable, "store.broken",
	"The database takes no writes; nothing was changed. Check that its files below DATA_DIR are where they were and may be written; with PostgreSQL, that DATABASE_URL leads to the primary.")

var errBroken = fault.New(fault.Unavailable, "store.broken",
	"The database could not be read or written. The server's log names the cause; check the disk below DATA_DIR.")

// Write runs fn in the writing transaction and commits it when fn returns nil. fn may be
// run again from the start when the database asks for that, so it must have no effect
// outside the transaction. On a full disk what was kept for that moment is given up once. With a single
// writer, those that wait for it share a commit.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	if !db.dialect.Crowded {
		return db.join(ctx, fn)
	}
	return db.urgent(ctx, db.dialect.Writing, db.dialect.Repeating, fn)
}

// urgent is attempt for what must not fail on a full disk.
func (db *DB) urgent(ctx context.Context, opts, again sql.TxOptions, fn func(*Tx) error) error {
	err := db.attempt(ctx, opts, again, fn)
	if err != nil && db.dialect.Full(err) && db.giveWay() {
		return db.attempt(ctx, opts, again, fn)
	}
	return err
}

// attempt runs and commits fn, again when the database asks for that.
func (db *DB) attempt(ctx context.Context, opts, again sql.TxOptions, fn func(*Tx) error) error {
	fn = guarded(ctx, fn)
	for attempt := 0; ; attempt++ {
		tx := &Tx{}
		err := db.in(ctx, db.writer, opts, tx, fn)
		switch {
		case err == nil:
			return nil
		case db.dialect.ReadOnly(err):
			return errReadOnly.Because(err)
		case db.dialect.Crowded && tx.collided && attempt == 0: // fn could not see the row yet that was in its way
		case attempt == maxAttempts-1 || !db.dialect.Retry(err):
			return err
		}
		opts = again
	}
}

// in runs fn in one transaction, and counts it; made is a new value and is filled here.
func (db *DB) in(ctx context.Context, pool *sql.DB, opts sql.TxOptions, made *Tx, fn func(*Tx) error) error {
	if db.closed.Load() {
		return errBroken
	}
	began := time.Now()
	step, err := db.steps(ctx, pool, opts, made, fn)
	db.tell(ctx, pool, made, err, time.Since(began))
	if err != nil {
		err = db.failure(ctx, step, err)
	}
	return err
}

// steps begins, runs and commits a transaction, and says which of these failed.
func (db *DB) steps(ctx context.Context, pool *sql.DB, opts sql.TxOptions, made *Tx, fn func(*Tx) error) (step string, err error) {
	tx, end, err := db.begin(ctx, pool, &opts)
	if err != nil {
		return "begin", err
	}
	defer end()
	defer tx.Rollback()
	made.ctx, made.tx, made.dialect, made.measured = ctx, tx, db.dialect, db.meter != nil
	if err := fn(made); err != nil {
		return "run", err
	}
	err = tx.Commit()
	if pool == db.writer {
		db.commits.Add(1) // also when it is unknown whether it is on the disk
	}
	if err == nil {
		db.changes.tell(made.of...)
	}
	if err != nil && db.dialect.Broken(err) && !db.dialect.Full(err) {
		db.Break(fmt.Errorf("store: commit: %w", err)) // before another has the connection
	}
	return "commit", err
}

// Break says that it is unknown what is on the disk: err met a commit, or an adapter that tends the
// files. From now on every transaction is refused.
func (db *DB) Break(err error) {
	if db.broken != nil && db.closed.CompareAndSwap(false, true) {
		db.broken(err)
	}
}

// failure turns an error of the database into a fault; faults of the caller pass.
func (db *DB) failure(ctx context.Context, step string, err error) error {
	var known *fault.Error
	if errors.Is(context.Cause(ctx), errReadCut) {
		return errReadCut.Because(err)
	}
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	err = fmt.Errorf("store: %s: %w", step, err)
	switch {
	case db.dialect.Full(err):
		return fault.New(fault.Unavailable, "store.disk_full",
			"The server's disk is full, so nothing can be stored. Free some space below DATA_DIR; nothing was changed.").Because(err)
	case db.dialect.Broken(err):
		return errBroken.Because(err)
	case ctx.Err() != nil && step != "commit": // the driver met the transaction that its context's end rolled back
		return fmt.Errorf("store: %s: %w", step, ctx.Err())
	}
	if db.dialect.Fault != nil {
		if f := db.dialect.Fault(err); f != nil {
			return f.Because(err)
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("store: %s: %w", step, ctx.Err())
	}
	return err
}

// Dialect holds whatever differs between SQLite and PostgreSQL.
type Dialect struct {
	Name        string                    // "sqlite" or "postgres"
	HasTable    string                    // counts the tables whose name is its one parameter
	Tables      string                    // lists the names of all tables
	Schema      func(sql string) string   // rewrites the type words of a migration
	Placeholder func(query string) string // rewrites ? placeholders
	Duplicate   func(error) bool          // a unique constraint was violated
	Retry       func(error) bool          // the transaction may be run again
	Full        func(error) bool          // no space left
	Broken      func(error) bool          // an I/O error or a damaged file: after a commit the state on disk is unknown
	Damaged     func(error) bool          // what is stored is not a database, or not a whole one
	ReadOnly    func(error) bool          // the database takes no writes at all
	Text        func(string) string       // what is stored of a text; nil: all of it
	Fault       func(error) *fault.Error  // what other errors mean, when that is not a defect; may be nil, and return nil
	Size        string                    // its size in bytes, as a query
	Check       string                    // reads everything and returns what is damaged, or one row "ok"
	Claim       string                    // ends a SELECT of rows that are taken: those that another transaction takes are passed over
	Clock       string                    // its time in microseconds since 1970, as an expression
	Crowded     bool                      // other processes may write at the same time
	Moved       string                    // a query whose one text is another once any process has stored something; empty: there is no other process

	// How a transaction begins. The first attempt of a write may meet others; when the database asks
	// for it to be run again, it must come through. The schema is altered by one process at a time, and
	// while an empty database is filled nobody else writes to it.
	Reading, Writing, Repeating, Altering, Filling sql.TxOptions
}

// Tx runs SQL in one transaction. It is good only inside the function that got it.
type Tx struct {
	ctx      context.Context
	tx       *sql.Tx
	dialect  Dialect
	collided bool // a unique constraint was violated
	measured bool // somebody counts what is stored
	ended    []end
	of       []core.ChangeOf // what it changed so far that people look at
}

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	result, err := tx.tx.ExecContext(tx.ctx, tx.dialect.Placeholder(query), tx.values(args)...)
	if err != nil {
		tx.collided = tx.collided || tx.dialect.Duplicate(err)
		return 0, err
	}
	n, err := result.RowsAffected()
	if n > 0 {
		tx.changed(query)
	}
	return n, err
}

// change runs an UPDATE or DELETE that must hit exactly one row, else it returns missing.
func (tx *Tx) change(missing error, query string, args ...any) error {
	n, err := tx.exec(query, args...)
	if err == nil && n != 1 {
		err = missing
	}
	return err
}

// insert runs an INSERT; a violated unique constraint becomes duplicate.
func (tx *Tx) insert(duplicate error, query string, args ...any) error {
	_, err := tx.exec(query, args...)
	if err != nil && tx.dialect.Duplicate(err) {
		return duplicate
	}
	return err
}

// scanner is a row or the current one of many.
type scanner interface{ Scan(dest ...any) error }

// one reads a single row with scan; no row becomes missing.
func one[T any](tx *Tx, missing error, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	v, err := scan(tx.tx.QueryRowContext(tx.ctx, tx.dialect.Placeholder(query), tx.values(args)...))
	if errors.Is(err, sql.ErrNoRows) {
		var zero T
		return zero, missing
	}
	if err == nil {
		tx.changed(query) // which may return what it changes
	}
	return v, err
}

// many reads all rows with scan, in order; never nil, so that it encodes as [].
func many[T any](tx *Tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := tx.tx.QueryContext(tx.ctx, tx.dialect.Placeholder(query), tx.values(args)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tx.changed(query) // which may return what it changes
	items := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return items, rows.Err()
}

// scalar scans one column.
func scalar[T any](row scanner) (T, error) {
	var v T
	return v, row.Scan(&v)
}

// page cuts a query's result to the asked limit. The query must have asked for
// limit+1 rows; the extra one says that there are more.
func page[T any](items []T, ask core.Page, cursor func(T) string) core.List[T] {
	list := core.List[T]{Items: items}
	if len(items) > ask.Limit {
		list.Items = items[:ask.Limit]
		list.Next = cursor(list.Items[ask.Limit-1])
	}
	return list
}

// Times are stored as microseconds since 1970 UTC, 0 for none: the same in both
// dialects, ordered, and free of zones.

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
