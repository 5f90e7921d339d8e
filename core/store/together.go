package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"berth/core/patience"
)

// together lets the writes that wait for a database's one writer share a commit, because that
// costs the same for one as for fifty. Each runs behind a savepoint, so that one which fails takes nothing of
// the others along; when what they share fails, each runs again for itself. A write that meets no
// other runs as if there were none.
type together struct {
	mu      sync.Mutex
	busy    bool      // guarded by mu: somebody writes, and calls the next afterwards
	waiting []*member // guarded by mu, in order of arrival
}

// member is a write that waits for its turn.
type member struct {
	ctx  context.Context // of its caller
	fn   func(*Tx) error
	tx   *Tx
	err  error // of fn
	turn chan turn
}

// turn is what a member is told, once.
type turn int

const (
	turnOver  turn = iota // it was run with others: err says how it ended
	turnAlone             // it runs for itself
	turnLead              // it runs those that wait, itself among them
)

// maxTogether is how many writes share a commit at most: those that come later wait for all of them.
const maxTogether = 64

// join runs a write: at once when there is no other, else with those that wait too.
func (db *DB) join(ctx context.Context, fn func(*Tx) error) error {
	m := &member{ctx: ctx, fn: guarded(ctx, fn), turn: make(chan turn, 1)}
	if db.together.enter(m) {
		defer db.together.leaveAfter(ctx)()
		return db.urgent(ctx, db.dialect.Writing, db.dialect.Repeating, fn)
	}
	next, err := db.await(ctx, m)
	switch {
	case err != nil:
		return err
	case next == turnOver:
		return m.err
	case next == turnLead:
		defer db.together.leaveAfter(ctx)()
		if all := db.together.take(m); len(all) > 1 && db.share(all) {
			return m.err
		}
	}
	return db.urgent(ctx, db.dialect.Writing, db.dialect.Repeating, fn)
}

// await returns when it is the member's turn, or when its caller waits no longer.
func (db *DB) await(ctx context.Context, m *member) (turn, error) {
	short := ctx
	if limit, limited := patience.Of(ctx); limited {
		if db.writing.took() > limit {
			limit = 0
		}
		var cancel context.CancelFunc
		short, cancel = context.WithTimeoutCause(ctx, limit, errBusy)
		defer cancel()
	}
	select {
	case t := <-m.turn:
		return t, nil
	case <-short.Done():
	}
	if db.together.withdraw(m) {
		return 0, context.Cause(short)
	}
	return <-m.turn, nil // it is being run
}

// share runs several writes in one transaction and tells each member but the first, which leads, how it went.
// It reports whether that transaction was committed; if not, each runs for itself, and whose function
// panics panics on its own goroutine. One that does not come up again there was told.
func (db *DB) share(all []*member) (committed bool) {
	defer func() {
		next := turnOver
		if p := recover(); p != nil {
			db.tellDefect(fmt.Errorf("store: one of %d writes that share a commit panicked, and each runs again alone: %v\n%s", len(all), p, debug.Stack()))
			committed = false
		}
		if !committed {
			next = turnAlone
		}
		for _, m := range all[1:] {
			m.turn <- next
		}
	}()
	if db.closed.Load() {
		return false
	}
	began := time.Now()
	_, err := db.steps(context.WithoutCancel(all[0].ctx), db.writer, db.dialect.Writing, &Tx{}, func(tx *Tx) error { return db.runAll(tx, all) })
	if err != nil {
		return false
	}
	took := time.Since(began)
	for _, m := range all {
		db.tell(m.ctx, db.writer, m.tx, m.err, took)
		if m.err != nil {
			m.err = db.failure(m.ctx, "run", m.err)
		}
	}
	return true
}

// runAll runs each member behind a savepoint, unless its caller has gone meanwhile. An error is one of the
// transaction that they share, which is not broken off because one of the callers goes.
func (db *DB) runAll(shared *Tx, all []*member) error {
	for _, m := range all {
		m.tx = &Tx{ctx: context.WithoutCancel(m.ctx), tx: shared.tx, dialect: shared.dialect, measured: shared.measured}
		if m.err = m.ctx.Err(); m.err != nil {
			continue
		}
		if err := behind(shared.tx, m); err != nil {
			return err
		}
		if m.err != nil && db.ends(m.err) {
			return m.err
		}
		if m.err == nil {
			shared.note(m.tx.of...)
		}
	}
	return nil
}

// behind runs one member behind a savepoint, to which it goes back when that fails.
func behind(tx *sql.Tx, m *member) error {
	if _, err := tx.ExecContext(m.tx.ctx, `SAVEPOINT member`); err != nil {
		return err
	}
	if m.err = m.fn(m.tx); m.err != nil {
		if _, err := tx.ExecContext(m.tx.ctx, `ROLLBACK TO member`); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(m.tx.ctx, `RELEASE member`)
	return err
}

// ends reports whether an error may have ended the transaction in which it came up, or is about more
// than the write that met it.
func (db *DB) ends(err error) bool {
	return db.dialect.Full(err) || db.dialect.Broken(err) || db.dialect.ReadOnly(err) || db.dialect.Retry(err) || db.dialect.Damaged(err)
}

// enter reports whether nobody writes, so that m may at once; else it waits in line.
func (t *together) enter(m *member) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.busy {
		t.busy = true
		return true
	}
	t.waiting = append(t.waiting, m)
	return false
}

// leaveAfter returns what calls the next that waits. That happens by itself when ctx ends, because its transaction
// then ends too, whenever the function inside it returns.
func (t *together) leaveAfter(ctx context.Context) (leave func()) {
	once := sync.OnceFunc(t.leave)
	stop := context.AfterFunc(ctx, once)
	return func() {
		stop()
		once()
	}
}

// leave calls the next that waits.
func (t *together) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.busy = false
		return
	}
	next := t.waiting[0]
	t.waiting = t.waiting[1:]
	next.turn <- turnLead
}

// take returns the one that leads and those that wait behind it, in order, as many as may share a commit.
func (t *together) take(lead *member) []*member {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), maxTogether-1)
	all := append([]*member{lead}, t.waiting[:n]...)
	t.waiting = append([]*member(nil), t.waiting[n:]...)
	return all
}

// withdraw takes a member out of the line; false when its turn has come.
func (t *together) withdraw(m *member) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, w := range t.waiting {
		if w == m {
			t.waiting = append(t.waiting[:i:i], t.waiting[i+1:]...)
			return true
		}
	}
	return false
}
