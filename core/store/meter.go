package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// Meter counts what the database does; *metrics.Own does. It is told when a transaction is over, and it
// neither reads nor writes.
type Meter interface {
	// Transaction counts one by its kind, "read" or "write", and its end: "committed"; "rolled_back", when
	// what ran in it wanted that, was stopped, or met another transaction; "failed", when the database did
	// not do it.
	Transaction(kind, result string, took time.Duration)
	// Deployed counts a deployment whose end is stored, with the time since it was queued.
	Deployed(trigger stacks.Trigger, state stacks.DeploymentState, took time.Duration)
}

// Measure has what follows counted. It is called before the first transaction of others.
func (db *DB) Measure(m Meter) { db.meter = m }

// Connections returns how many connections are in use and how many wait for use. It asks nobody.
func (db *DB) Connections() (inUse, idle int) {
	pools := []*sql.DB{db.writer}
	if db.readers != db.writer {
		pools = append(pools, db.readers)
	}
	for _, pool := range pools {
		stats := pool.Stats()
		inUse, idle = inUse+stats.InUse, idle+stats.Idle
	}
	return inUse, idle
}

// tell counts a transaction of a pool that ended with err, before that is made a fault.
func (db *DB) tell(ctx context.Context, pool *sql.DB, tx *Tx, err error, took time.Duration) {
	if db.meter == nil {
		return
	}
	kind := "write"
	if pool == db.readers {
		kind = "read"
	}
	var known *fault.Error
	switch {
	case err == nil:
		db.meter.Transaction(kind, "committed", took)
	case errors.As(err, &known) && known.Code != errBusy.Code || ctx.Err() != nil || db.dialect.Retry(err) || tx.collided:
		db.meter.Transaction(kind, "rolled_back", took)
		return
	default:
		db.meter.Transaction(kind, "failed", took)
		return
	}
	for _, e := range tx.ended {
		db.meter.Deployed(e.trigger, e.state, e.took)
	}
}

// end is a deployment that ended in a transaction.
type end struct {
	trigger stacks.Trigger
	state   stacks.DeploymentState
	took    time.Duration
}

// noteEnd keeps a transition that ends a deployment, to be counted when it is stored.
func noteEnd(tx *Tx, t transition) error {
	if !tx.measured || !t.to.Ended() {
		return nil
	}
	e, err := one(tx, errDeploymentMoved, func(row scanner) (end, error) {
		var queued int64
		e := end{state: t.to}
		err := row.Scan(&e.trigger, &queued)
		e.took = max(0, t.at.Sub(fromMicros(queued)))
		return e, err
	}, `SELECT trigger, queued_at FROM deployments WHERE id = ?`, t.deployment)
	tx.ended = append(tx.ended, e)
	return err
}

// Size returns how large the database is, in bytes.
func (s *Store) Size(ctx context.Context) (int64, error) {
	return read(ctx, s, func(tx *Tx) (int64, error) { return one(tx, nil, scalar[int64], s.db.dialect.Size) })
}

// Wanted returns when the commit of a deployment that has succeeded was first wanted for its stack: when
// polling, or a person, first decided to deploy it. It is zero when an earlier deployment has put that
// commit in place already.
func (s *Store) Wanted(ctx context.Context, d stacks.Deployment) (time.Time, error) {
	return read(ctx, s, func(tx *Tx) (time.Time, error) {
		before, err := many(tx, scalar[core.DeploymentID], `SELECT id FROM deployments WHERE stack_id = ? AND commit_hash = ? AND state = 'succeeded' AND id < ?
			ORDER BY id DESC LIMIT 1`, d.Stack, d.Commit, d.ID)
		if err != nil || len(before) > 0 {
			return time.Time{}, err
		}
		at, err := one(tx, nil, scalar[int64], `SELECT coalesce(min(at), 0) FROM decisions WHERE stack_id = ? AND commit_hash = ? AND deployed = 1`, d.Stack, d.Commit)
		if err != nil || at == 0 {
			return d.QueuedAt, err
		}
		return fromMicros(at), nil
	})
}
