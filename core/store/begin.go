package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"time"

	"berth/core/fault"
	"berth/core/patience"
)

// errBusy answers whoever would wait too long for their turn.
var errBusy = fault.New(fault.Unavailable, "store.busy",
	"The database is so slow just now that this had to wait too long for its turn; nothing was changed. Try again in a moment. If it goes on, check the disk below DATA_DIR.").After(5 * time.Second)

// begin begins a transaction on a connection of the pool. Whoever's patience is limited (package
// patience) waits no longer than that for a connection, and not at all behind a write that
// has taken so long already. What has begun is not broken off: nobody would know what became of
// it. end must be called when the transaction has ended.
func (db *DB) begin(ctx context.Context, pool *sql.DB, opts *sql.TxOptions) (tx *sql.Tx, end func(), err error) {
	for range maxStale {
		var conn *sql.Conn
		if conn, err = db.turn(ctx, pool); err != nil {
			return nil, nil, err
		}
		end = func() { conn.Close() } // gives it back to the pool; the transaction has told what went wrong
		if pool == db.writer && db.writer != db.readers && !db.dialect.Crowded {
			end = db.writing.begin(end)
		}
		if tx, err = conn.BeginTx(ctx, opts); err == nil {
			return tx, whenOver(end), nil
		}
		end()
		if !errors.Is(err, driver.ErrBadConn) {
			break
		}
	}
	return nil, nil, err
}

// whenOver gives the connection back when its transaction has ended. That is before the function inside it
// returns when the context ends first, and then another may have the connection. The returned function waits
// for it.
func whenOver(giveBack func()) (end func()) {
	given := make(chan struct{})
	go func() {
		defer close(given)
		giveBack() // database/sql has it wait for the transaction
	}()
	return func() { <-given }
}

// maxStale bounds how many connections in a row may turn out to have ended while nobody used them.
const maxStale = 3

// turn waits for a connection.
func (db *DB) turn(ctx context.Context, pool *sql.DB) (*sql.Conn, error) {
	limit, limited := patience.Of(ctx)
	if !limited {
		return pool.Conn(ctx)
	}
	if pool == db.writer && db.writing.took() > limit {
		return nil, errBusy
	}
	short, cancel := context.WithTimeoutCause(ctx, limit, errBusy)
	defer cancel()
	conn, err := pool.Conn(short)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(short), errBusy) {
		err = errBusy.Because(err)
	}
	return conn, err
}

// writing is when the one write began that is under way, for a database with one writer.
type writing struct{ since atomic.Int64 } // nanoseconds since 1970, 0: none

func (w *writing) begin(then func()) (end func()) {
	mine := time.Now().UnixNano()
	w.since.Store(mine)
	return func() {
		then()
		w.since.CompareAndSwap(mine, 0) // the next one may have begun
	}
}

// took returns for how long the write has been under way; zero when there is none.
func (w *writing) took() time.Duration {
	since := w.since.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}
