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
var commandKinds = []wire.CommandKind{wire.CommandDeploy, wire.CommandTeardown}

var resultStatuses = []wire.ResultStatus{wire.ResultSucceeded, wire.ResultFailed, wire.ResultCancelled, wire.ResultUnknown}

// tally counts what happened since the worker started.
type tally struct {
	blobBytes atomic.Uint64 // received
	links     atomic.Uint64 // that came into service
	failures  atomic.Uint64 // of attempts to connect

	mu        sync.Mutex // guards what follows
	running   map[wire.CommandKind]int
	results   map[commandEnd]uint64
	durations map[wire.CommandKind]*durations
}

type commandEnd struct {
	kind   wire.CommandKind
	status wire.ResultStatus
}

// durations is a histogram of seconds.
type durations struct {
	counts []uint64 // one per bound, and one for what is above
	sum    float64
}

func newTally() *tally {
	t := &tally{running: map[wire.CommandKind]int{}, results: map[commandEnd]uint64{}, durations: map[wire.CommandKind]*durations{}}
	for _, kind := range commandKinds {
		t.durations[kind] = &durations{counts: make([]uint64, len(durationBounds)+1)}
	}
	return t
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
		bucket, _ := slices.BinarySearch(durationBounds, took.Seconds())
		d.counts[bucket]++
		d.sum += took.Seconds()
	}
}
