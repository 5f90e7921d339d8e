package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"berth/core"
	"berth/core/jobs"
)

// Store keeps every noun. Its methods are grouped by noun, one file each; callers take
// it as small ports of their own.
type Store struct {
	db  *DB
	now core.Clock

	pruning    sync.Mutex
	pruned     core.StackID // the stack after which Prune goes on; guarded by pruning
	prunedJobs core.JobID   // the job after which it goes on; guarded by pruning

	keys keptKeys

	expected *jobs.Expectations

	keptAudit time.Duration // how long audit events are kept; 0: for ever
}

// New returns a Store on a migrated database.
func New(db *DB, now core.Clock) *Store {
	return &Store{db: db, now: now, expected: jobs.NewExpectations(), keptAudit: keptAudit}
}

// Ping checks that the database answers, for readiness.
func (s *Store) Ping(ctx context.Context) error {
	return s.db.Read(ctx, func(tx *Tx) error {
		_, err := many(tx, scalar[int], `SELECT 1 LIMIT 1`)
		return err
	})
}

// read runs fn in a read transaction and returns what it returns.
func read[T any](ctx context.Context, s *Store, fn func(*Tx) (T, error)) (T, error) {
	var v T
	err := s.db.Read(ctx, func(tx *Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// write runs fn in a write transaction and returns what it returns.
func write[T any](ctx context.Context, s *Store, fn func(*Tx) (T, error)) (T, error) {
	var v T
	err := s.db.Write(ctx, func(tx *Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// toJSON encodes a small record for a TEXT column. What the store keeps always encodes.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("store: %T does not encode: %v", v, err))
	}
	return string(b)
}

// jsonInto scans a TEXT column that holds a small record.
type jsonInto struct{ dest any }

// Scan implements sql.Scanner.
func (j jsonInto) Scan(src any) error {
	var err error
	switch v := src.(type) {
	case string:
		err = json.Unmarshal([]byte(v), j.dest)
	case []byte:
		err = json.Unmarshal(v, j.dest)
	default:
		err = fmt.Errorf("it is %T, want text", src)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errContent, err)
	}
	return nil
}
