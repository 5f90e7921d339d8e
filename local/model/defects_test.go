package model

import (
	"slices"
	"testing"
)

// defect is a mistake that is made on purpose, to see that the checks find it.
type defect string

const (
	ackBeforeCommit      defect = "the hub acknowledges a result before it is stored"
	redeliveryRunsAgain  defect = "the worker runs what is delivered again"
	restartRunsBlindly   defect = "a worker that was restarted repeats without looking"
	epochIgnored         defect = "the hub goes on to listen to an older link"
	headRecordedFirst    defect = "polling records the head before what follows from it"
	activeWithoutVerify  defect = "the worker reports success without having verified, and the hub believes it"
	journalNotSynced     defect = "a crash takes the last entry of the journal"
	resultPrunedWhenSent defect = "the worker forgets a result that it has sent"
	resultBeforeJournal  defect = "the worker sends a result before it is journaled"
	repeatedResultCounts defect = "a result that comes again counts again"
	restoreIsSuccess     defect = "a restore that succeeded counts as the deployment's success"
)

// defects tells which invariants the defects break; more than one means that either may be
// seen first.
var defects = map[defect][]int{
	ackBeforeCommit:      {1, 3},
	redeliveryRunsAgain:  {1, 2, 3, 5}, // what runs twice may put an older revision back
	restartRunsBlindly:   {2},
	epochIgnored:         {1, 4},
	headRecordedFirst:    {6},
	activeWithoutVerify:  {5},
	journalNotSynced:     {1, 3},
	resultPrunedWhenSent: {1, 2, 3},
	resultBeforeJournal:  {1, 2, 3},
	repeatedResultCounts: {1, 2, 5, 6},
	restoreIsSuccess:     {1, 5, 6},
}

// within is how many schedules a defect may stay hidden for.
const within = 20_000

func TestDefectsAreFound(t *testing.T) {
	for bad, may := range defects {
		t.Run(string(bad), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, bad)
			total := 0
			for seed := uint64(firstSeed); total < within; seed++ {
				n, b := w.grow(seed)
				if total += n; b == nil {
					continue
				}
				t.Logf("found after %d schedules, seed %d, as I%d: %s", total, seed, b.invariant, b.text)
				if !slices.Contains(may, b.invariant) {
					t.Errorf("it breaks I%d, want one of %v", b.invariant, may)
				}
				return
			}
			t.Errorf("not found in %d schedules", total)
		})
	}
}
