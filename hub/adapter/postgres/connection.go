package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector makes connections whose transactions begin and end as this package wants.
type connector struct {
	driver.Connector
	where string       // "the database berth at db.example:5432", for people
	lost  atomic.Int64 // when a connection was last found dead, in nanoseconds since 1970
}

func newConnector(cfg pgx.ConnConfig) *connector {
	return &connector{Connector: stdlib.GetConnector(cfg), where: where(cfg)}
}

// where names a database for people: no user, and above all no password.
func where(cfg pgx.ConnConfig) string {
	host := net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
	if strings.HasPrefix(cfg.Host, "/") {
		host = cfg.Host
	}
	return fmt.Sprintf("the database %s at %s", cfg.Database, host)
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	switch deadline, limited := ctx.Deadline(); {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited && !time.Now().Before(deadline): // the dialer's clock may be ahead of the context's
		return nil, context.DeadlineExceeded
	case err != nil:
		return nil, &unreachable{err}
	}
	return &connection{Conn: inner.(*stdlib.Conn), from: c, used: time.Now()}, nil
}

// unreachable is an error of connecting. It hides the time limit of that, which must not
// be taken for the caller's.
type unreachable struct{ err error }

func (e *unreachable) Error() string { return e.err.Error() }

// connection is one connection to the server. database/sql uses it for one caller at a time.
type connection struct {
	*stdlib.Conn
	from *connector
	used time.Time
}

const (
	rested   = 5 * time.Second // a connection that was idle for longer is asked before it is trusted
	patience = 3 * time.Second // how long it may take to answer
)

// ResetSession implements driver.SessionResetter: it is called before an idle connection is used
// again. A machine that slept, or a server that was replaced, leaves connections that are dead.
func (c *connection) ResetSession(ctx context.Context) error {
	raw := c.Conn.Conn()
	if raw.IsClosed() || raw.PgConn().TxStatus() != 'I' {
		return driver.ErrBadConn
	}
	if time.Since(c.used) < rested && c.used.UnixNano() > c.from.lost.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := raw.PgConn().Ping(ctx); err != nil {
		return c.dead()
	}
	return nil
}

// dead says that the connection is to be replaced, and has the others asked that are no newer: a server
// that ended has ended them all.
func (c *connection) dead() error {
	c.from.lost.Store(time.Now().UnixNano())
	return driver.ErrBadConn
}

// IsValid implements driver.Validator: whether the connection may be used again.
func (c *connection) IsValid() bool {
	raw := c.Conn.Conn()
	return !raw.IsClosed() && raw.PgConn().TxStatus() == 'I'
}

// BeginTx implements driver.ConnBeginTx. One message begins the transaction and sets all that it
// needs. Nothing has happened when it fails, so a connection that is dead is replaced.
func (c *connection) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: beginning(opts)})
	if err == nil {
		return &transaction{c, tx}, nil
	}
	if raw := c.Conn.Conn(); raw.IsClosed() && ctx.Err() == nil {
		return nil, c.dead()
	} else if !raw.IsClosed() && raw.PgConn().TxStatus() != 'I' { // it began, and then failed
		closeSoon(raw)
	}
	return nil, err
}

// transaction ends within its own time, whatever becomes of the caller's context: a COMMIT that
// is left alone half-way tells nobody what it did.
type transaction struct {
	on *connection
	tx pgx.Tx
}

// endTime is how long the end of a transaction may take.
const endTime = 20 * time.Second

// Commit implements driver.Tx. Its error is *unconfirmed when it is not known what the server did.
func (t *transaction) Commit() error {
	defer func() { t.on.used = time.Now() }()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	err := t.tx.Commit(ctx)
	if err == nil || errors.Is(err, pgx.ErrTxCommitRollback) || refused(err) {
		return err
	}
	return &unconfirmed{err}
}

// Rollback implements driver.Tx.
func (t *transaction) Rollback() error {
	defer func() { t.on.used = time.Now() }()
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	return t.tx.Rollback(ctx)
}

// unconfirmed is a COMMIT whose answer did not come. It hides why, so that it is taken for
// nothing else.
type unconfirmed struct{ err error }

func (e *unconfirmed) Error() string { return "commit: no answer: " + e.err.Error() }

// closeSoon closes a connection without waiting long for the server.
func closeSoon(raw *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = raw.Close(ctx) // it is given up either way
}
