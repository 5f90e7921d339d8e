package coretest

import (
	"context"
	"errors"
	"time"

	"berth/core/fault"
	"berth/core/store"
)

var contextCases = map[string]func(storeBench){
	"what is cancelled before it begins does not run":     cancelledBefore,
	"a write that is cancelled half-way leaves nothing":   cancelledHalfway,
	"a write that is cancelled at its end leaves nothing": cancelledAtTheEnd,
	"a write that was cancelled long ago leaves nothing":  cancelledLongAgo,
	"a read that is cancelled gives its place back":       cancelledReads,
	"a long statement ends with its context":              cancelledStatement,
	"a write waits for another as long as it may":         writersWaitAsLongAsTheyMay,
	"a write inside a write ends with its context":        nestedWrite,
}

// ended checks that an operation ended with its context's error, which is no fault.
func (b storeBench) ended(what string, err, want error) {
	b.Helper()
	var known *fault.Error
	if !errors.Is(err, want) || errors.As(err, &known) {
		b.Errorf("%s: %v, want %v", what, err, want)
	}
}

func cancelledBefore(b storeBench) {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	fn := func(tx *store.Tx) error {
		b.Error("it ran")
		return nil
	}
	b.ended("write", b.db.Write(ctx, fn), context.Canceled)
	b.ended("read", b.db.Read(ctx, fn), context.Canceled)
	b.works()
}

func cancelledHalfway(b storeBench) {
	for range 20 {
		ctx, cancel := context.WithCancel(b.Context())
		err := b.db.Write(ctx, func(tx *store.Tx) error {
			b.must(put(tx, "a", "1"))
			cancel()
			return put(tx, "b", "2")
		})
		b.ended("write", err, context.Canceled)
		b.holds()
	}
	b.works()
}

func cancelledAtTheEnd(b storeBench) {
	for range 20 {
		ctx, cancel := context.WithCancel(b.Context())
		err := b.db.Write(ctx, func(tx *store.Tx) error {
			defer cancel()
			return put(tx, "a", "1")
		})
		b.ended("write", err, context.Canceled)
		b.holds()
	}
	b.works()
}

// cancelledLongAgo returns from its function when the transaction was rolled back already:
// another writer has been through.
func cancelledLongAgo(b storeBench) {
	ctx, cancel := context.WithCancel(b.Context())
	err := b.db.Write(ctx, func(tx *store.Tx) error {
		b.must(put(tx, "a", "1"))
		cancel()
		b.write(b.soon(), "b", "2")
		return nil
	})
	b.ended("write", err, context.Canceled)
	b.holds("b")
	b.works()
}

func cancelledReads(b storeBench) {
	for range 50 {
		ctx, cancel := context.WithCancel(b.Context())
		err := b.db.Read(ctx, func(tx *store.Tx) error {
			if _, err := get(tx, "a"); err != nil {
				return err
			}
			cancel()
			_, err := get(tx, "a")
			return err
		})
		b.ended("read", err, context.Canceled)
	}
	b.works()
}

// cancelledStatement reads rows that have no end.
func cancelledStatement(b storeBench) {
	endless := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`
	for name, run := range map[string]func(context.Context, func(*store.Tx) error) error{"write": b.db.Write, "read": b.db.Read} {
		ctx, cancel := context.WithTimeout(b.Context(), 20*time.Millisecond)
		err := run(ctx, func(tx *store.Tx) error {
			_, err := store.Texts(tx, endless)
			return err
		})
		cancel()
		b.ended(name, err, context.DeadlineExceeded)
	}
	b.works()
}

func writersWaitAsLongAsTheyMay(b storeBench) {
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		b.must(put(tx, "a", "1"))
		ctx, cancel := context.WithTimeout(b.Context(), 20*time.Millisecond)
		defer cancel()
		err := b.db.Write(ctx, func(tx *store.Tx) error {
			_, err := store.Exec(tx, `INSERT INTO settings (name, value) VALUES ('a', '2')`)
			return err
		})
		b.ended("the second writer", err, context.DeadlineExceeded)
		return nil
	}))
	b.holds("a")
	b.works()
}

// nestedWrite is a defect of the caller: the inner write waits for the outer one, which waits
// for it. It must end when the context does and leave a database that works.
func nestedWrite(b storeBench) {
	ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
	defer cancel()
	err := b.db.Write(ctx, func(tx *store.Tx) error {
		if err := put(tx, "a", "outer"); err != nil {
			return err
		}
		return b.db.Write(ctx, func(tx *store.Tx) error { return put(tx, "a", "inner") })
	})
	b.ended("the outer write", err, context.DeadlineExceeded)
	b.holds()
	b.works()
}
