package model

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// database is SQLite in memory on one connection. Its transactions are savepoints, so that what a
// schedule did can be taken back and another one begins where it branched off.
type database struct {
	driver driver.Driver
	pool   *sql.DB
	conn   *conn
}

// began is when the clock of every schedule starts.
var began = time.Unix(1_800_000_000, 0).UTC()

// openDatabase returns a migrated database.
func openDatabase(t testing.TB) (*database, *store.DB) {
	t.Helper()
	plain, err := sql.Open("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	d := &database{driver: plain.Driver()}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	d.pool = sql.OpenDB(d)
	d.pool.SetMaxOpenConns(1)
	db := store.NewDB(d.pool, d.pool, sqlite.Dialect(), func(err error) { t.Errorf("the database broke: %v", err) })
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(context.Background(), began); err != nil {
		t.Fatal(err)
	}
	d.conn.withoutPartialIndexes()
	return d, db
}

// withoutPartialIndexes makes it faster: a statement on a table with a partial index is compiled anew
// whenever it gets other values, and a few rows need no index. What keeps rows unique is kept.
func (c *conn) withoutPartialIndexes() {
	for _, name := range []string{"repositories_asked", "stacks_retry", "stacks_heal", "commands_open", "commands_ended", "deployments_open", "deployments_ended"} {
		c.must("DROP INDEX IF EXISTS " + name)
	}
	for _, state := range []string{"queued", "running"} {
		c.must("DROP INDEX deployments_" + state)
		c.must("CREATE UNIQUE INDEX deployments_" + state + " ON deployments(CASE WHEN state = '" + state + "' THEN stack_id END)")
	}
}

// mark notes where back returns to; marks nest.
func (d *database) mark() { d.conn.must("SAVEPOINT mark") }

// back takes back everything since the last mark, and the mark with it.
func (d *database) back() {
	d.conn.must("ROLLBACK TO mark")
	d.conn.must("RELEASE mark")
}

// Connect implements driver.Connector.
func (d *database) Connect(context.Context) (driver.Conn, error) {
	if d.conn != nil {
		return nil, errors.New("a database in memory has one connection")
	}
	inner, err := d.driver.Open("file::memory:?_pragma=foreign_keys(ON)&_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)&_pragma=temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	d.conn = &conn{inner: inner, statements: map[string]driver.Stmt{}}
	return d.conn, nil
}

// Driver implements driver.Connector.
func (d *database) Driver() driver.Driver { return d.driver }

// conn keeps its statements prepared and runs them without a context: watching one costs more than
// the statement.
type conn struct {
	inner      driver.Conn
	statements map[string]driver.Stmt
	writes     int // statements that may have written
	// gate, when set, is asked around each commit and at each begin; an error means that the process
	// that uses the database is dead.
	gate func(moment string) error
}

// ResetSession implements driver.SessionResetter: with IsValid it keeps the connection, and the
// database with it, when a transaction's context ends.
func (c *conn) ResetSession(context.Context) error { return nil }

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool { return true }

func (c *conn) pass(moment string) error {
	if c.gate == nil {
		return nil
	}
	return c.gate(moment)
}

func (c *conn) must(statement string) {
	if err := c.run(statement); err != nil {
		panic(err)
	}
}

func (c *conn) run(statement string) error {
	s, err := c.Prepare(statement)
	if err == nil {
		_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), nil)
	}
	return err
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.inner.Close())...)
}

// Prepare implements driver.Conn.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	if s, found := c.statements[query]; found {
		return s, nil
	}
	// SQLite compiles a statement anew whenever a bare parameter that is its limit gets a value.
	s, err := c.inner.Prepare(strings.ReplaceAll(query, "LIMIT ?", "LIMIT (? + 0)"))
	if err == nil {
		c.statements[query] = s
	}
	return s, err
}

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	if err := c.pass("begin"); err != nil {
		return nil, err
	}
	return c, c.run("SAVEPOINT tx")
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return c.Begin() }

// Commit implements driver.Tx.
func (c *conn) Commit() error {
	if err := c.pass("before commit"); err != nil {
		return errors.Join(err, c.Rollback())
	}
	if err := c.run("RELEASE tx"); err != nil {
		return err
	}
	return c.pass("after commit")
}

// Rollback implements driver.Tx.
func (c *conn) Rollback() error { return errors.Join(c.run("ROLLBACK TO tx"), c.run("RELEASE tx")) }

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.writes++
	s, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtExecContext).ExecContext(context.Background(), args)
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtQueryContext).QueryContext(context.Background(), args)
}
