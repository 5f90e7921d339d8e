package coretest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/store"
)

var migrationCases = map[string]func(storeBench){
	"a database is fresh until it has a schema": freshness,
	"steps are applied once":                    appliedOnce,
	"a newer database is refused":               newerRefused,
	"an altered step is refused":                alteredRefused,
	"a migration that was cut short goes on":    cancelledMigration,
}

const schemaSteps = `SELECT number || ' ' || name || ' ' || checksum || ' ' || applied_at FROM schema_steps ORDER BY number`

func (b storeBench) migrate(at time.Time) { b.Helper(); b.must(b.db.Migrate(b.soon(), at)) }

func (b storeBench) exec(query string, args ...any) {
	b.Helper()
	b.must(b.db.Write(b.soon(), func(tx *store.Tx) error {
		_, err := store.Exec(tx, query, args...)
		return err
	}))
}

// isFresh checks whether the database says that it has no schema.
func (b storeBench) isFresh(want bool) {
	b.Helper()
	if fresh, err := b.db.Fresh(b.soon()); err != nil || fresh != want {
		b.Errorf("fresh is %v, %v; want %v", fresh, err, want)
	}
}

func freshness(b storeBench) {
	b.isFresh(true)
	b.migrate(storeEpoch)
	b.isFresh(false)
}

func appliedOnce(b storeBench) {
	b.migrate(storeEpoch)
	first := b.read(schemaSteps)
	if len(first) == 0 || !strings.HasSuffix(first[0], fmt.Sprint(storeEpoch.UnixMicro())) {
		b.Fatalf("steps: %q", first)
	}
	b.write(b.soon(), "a", "1")
	b.migrate(storeEpoch.Add(time.Hour))
	if again := b.read(schemaSteps); !slices.Equal(first, again) {
		b.Errorf("steps were %q and became %q", first, again)
	}
	b.holds("a")
}

func newerRefused(b storeBench) {
	b.migrate(storeEpoch)
	known := len(b.read(schemaSteps))
	b.exec(`INSERT INTO schema_steps (number, name, checksum, applied_at) VALUES (?, 'later', 'x', 0)`, known+1)
	before := b.read(schemaSteps)
	err := b.db.Migrate(b.soon(), storeEpoch)
	if fault.CodeOf(err) != "store.newer" || !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), fmt.Sprintf("schema %d, this program knows %d", known+1, known)) {
		b.Errorf("got %v", err)
	}
	if after := b.read(schemaSteps); !slices.Equal(before, after) {
		b.Errorf("steps were %q and became %q", before, after)
	}
}

func alteredRefused(b storeBench) {
	b.migrate(storeEpoch)
	b.exec(`UPDATE schema_steps SET checksum = 'x' WHERE number = 1`)
	err := b.db.Migrate(b.soon(), storeEpoch)
	if fault.CodeOf(err) != "store.altered" || !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "0001_first") {
		b.Errorf("got %v", err)
	}
	if sums := b.read(`SELECT checksum FROM schema_steps WHERE number = 1`); sums[0] != "x" {
		b.Errorf("the step's checksum became %q", sums)
	}
}

// cancelledMigration is cut short ever later until it comes through; each time it must go on
// where the time before left whole steps.
func cancelledMigration(b storeBench) {
	for allowed := time.Duration(0); ; allowed += allowed/4 + 100*time.Microsecond {
		ctx, cancel := context.WithTimeout(b.Context(), allowed)
		err := b.db.Migrate(ctx, storeEpoch)
		cancel()
		if err == nil {
			break
		}
		b.ended("the migration", err, context.DeadlineExceeded)
		if allowed > storeWait {
			b.Fatal("it never came through")
		}
	}
	b.migrate(storeEpoch)
	b.works()
}
