package model

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	seedFlag = flag.Uint64("seed", 0, "run the schedules of this seed only")
	trees    = flag.Uint64("trees", 500, "how many seeds to run, of 200 schedules each")
	wholes   = flag.Uint64("wholes", 2000, "how many schedules to run over the real hub and workers")
)

const firstSeed = 1

// TestMain lets memory grow rather than collect it: schedules make much of it and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

// TestSchedules is the first level: trees of schedules over the store's transitions.
func TestSchedules(t *testing.T) {
	from, to := uint64(firstSeed), firstSeed+*trees
	if *seedFlag != 0 {
		from, to = *seedFlag, *seedFlag+1
	}
	var next, total atomic.Uint64
	next.Store(from)
	var running sync.WaitGroup
	for range 2 {
		w := newWorld(t, "")
		running.Go(func() {
			for seed := next.Add(1) - 1; seed < to && !t.Failed(); seed = next.Add(1) - 1 {
				n, b := w.grow(seed)
				total.Add(uint64(n))
				if b != nil {
					w.telling = true
					if _, again := w.grow(seed); again != nil {
						b = again
					}
					t.Errorf("seed %d breaks I%d, %s: %s\n%s", seed, b.invariant, invariants[b.invariant], b.text, strings.Join(b.story, "\n"))
				}
			}
		})
	}
	running.Wait()
	t.Logf("%d schedules, seeds %d to %d", total.Load(), from, to-1)
}
