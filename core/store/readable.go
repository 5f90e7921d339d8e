package store

import (
	"context"
	"strings"
	"sync"
	"time"

	"berth/core/fault"
)

// Check reads the whole database and says what of it is damaged. It is for the start: what a
// damaged database would do to what runs cannot be known. Unavailable "store.damaged".
func (db *DB) Check(ctx context.Context) error {
	var problems []string
	err := db.Read(ctx, func(tx *Tx) (err error) {
		problems, err = many(tx, scalar[string], db.dialect.Check)
		return err
	})
	switch {
	case err != nil && db.dialect.Damaged(err):
		return damaged("it cannot be read as a database").Because(err)
	case err != nil:
		return err
	case len(problems) == 1 && problems[0] == "ok":
		return nil
	}
	return damaged(strings.ReplaceAll(strings.Join(problems, "; "), "\n", "; "))
}

func damaged(what string) *fault.Error {
	return fault.New(fault.Unavailable, "store.damaged", "The database is damaged: %s. "+
		"Nothing was started and nothing was changed. Check the disk, then put a backup of the database's files in place; the damaged ones are worth keeping until then.", what)
}

// errReadCut ends a read that stood in everybody's way.
var errReadCut = fault.New(fault.Unavailable, "store.read_cut",
	"Reading took so long that what was written meanwhile could not be put in order, so it was ended. Try again.")

// reads are the reads under way. One that does not end keeps the log of writes from being
// emptied, which then grows without bound.
type reads struct {
	mu    sync.Mutex
	under map[*reading]struct{} // guarded by mu
}

type reading struct {
	began time.Time
	cut   context.CancelCauseFunc
}

// begin notes a read; its context ends when the read is cut. done is called when the read has ended.
func (r *reads) begin(ctx context.Context) (_ context.Context, done func()) {
	ctx, cut := context.WithCancelCause(ctx)
	one := &reading{began: time.Now(), cut: cut}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under == nil {
		r.under = map[*reading]struct{}{}
	}
	r.under[one] = struct{}{}
	return ctx, func() {
		cut(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.under, one)
	}
}

// CutReads ends the reads that have gone on for longer than this and returns how many. Each of
// them fails with Unavailable "store.read_cut".
func (db *DB) CutReads(longer time.Duration) (cut int) {
	db.reads.mu.Lock()
	defer db.reads.mu.Unlock()
	for one := range db.reads.under {
		if time.Since(one.began) >= longer {
			one.cut(errReadCut)
			cut++
		}
	}
	return cut
}
