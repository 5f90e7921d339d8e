package worker

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"berth/core/wire"
)

// durationBounds are the upper bounds of the buckets of command durations, in seconds.
var durationBounds = []float64{0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800}

// commandKinds are the kinds that the tally has rows for, so that a row exists before its
// first command.
var commandKinds = []wire.CommandKind{wire.CommandDeploy, wire.CommandTeardown, wire.CommandRun}

// What a run of a job can be at.
const (
	runWaiting   = "waiting"   // for its turn
	runPreparing = "preparing" // its files and its image are fetched, its container is made
	runRunning   = "running"   // its container was started
)

var runStates = []string{runWaiting, runPreparing, runRunning}

// runBounds are the upper bounds of the buckets of how long containers of runs ran, in seconds.
var runBounds = []float64{1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}

var resultStatuses = []wire.ResultStatus{wire.ResultSucceeded, wire.ResultFailed, wire.ResultCancelled, wire.ResultUnknown}

// tally counts what happened since the worker started.
type tally struct {
	blobBytes atomic.Uint64 // received
	links     atomic.Uint64 // that came into service
	failures  atomic.Uint64 // of attempts to connect

	mu         sync.Mutex // guards what follows
	running    map[wire.CommandKind]int
	results    map[commandEnd]uint64
	durations  map[wire.CommandKind]*durations
	atWork     map[string]int // runs of jobs, by what they are at
	containers *durations     // of runs
}

type commandEnd struct {
	kind   wire.CommandKind
	status wire.ResultStatus
}

// durations is a histogram of seconds.
type durations struct {
	bounds []float64
	counts []uint64 // one per bound, and one for what is above
	sum    float64
}

func newDurations(bounds []float64) *durations {
	return &durations{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (d *durations) add(took time.Duration) {
	bucket, _ := slices.BinarySearch(d.bounds, took.Seconds())
	d.counts[bucket]++
	d.sum += took.Seconds()
}

func newTally() *tally {
	t := &tally{running: map[wire.CommandKind]int{}, results: map[commandEnd]uint64{}, durations: map[wire.CommandKind]*durations{},
		atWork: map[string]int{}, containers: newDurations(runBounds)}
	for _, kind := range commandKinds {
		t.durations[kind] = newDurations(durationBounds)
	}
	return t
}

// runIs counts a run that goes over from one state to another; empty: it was not counted, or is not any more.
func (t *tally) runIs(before, now string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for state, n := range map[string]int{before: -1, now: 1} {
		if state != "" && before != now {
			t.atWork[state] += n
		}
	}
}

// ran counts a container of a run that has ended.
func (t *tally) ran(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.containers.add(took)
}

// runs counts a command that begins to run, with 1, and one that is over, with -1.
func (t *tally) runs(kind wire.CommandKind, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[kind] += n
}

// ended counts a command that has a result.
func (t *tally) ended(kind wire.CommandKind, status wire.ResultStatus, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results[commandEnd{kind, status}]++
	if d := t.durations[kind]; d != nil {
		d.add(took)
	}
}
