package jobs

import (
	"encoding/json"
	"hash/maphash"
	"sync"
	"time"

	"berth/core"
)

// Expectations tells when jobs should have ended well again, and remembers what it told: of most jobs nothing has changed from
// one reading to the next, and it is not free to find out. It is safe for concurrent use.
type Expectations struct {
	seed maphash.Seed // set once

	mu    sync.Mutex
	known map[core.JobID]expected // of the last reading that was done; guarded by mu, and replaced whole
}

// expected is what was told of a job, and of what.
type expected struct {
	definition uint64 // hash of its JSON, by the seed of this process
	since      int64  // in microseconds, as After was asked
	at         time.Time
}

// NewExpectations returns one that has told nothing.
func NewExpectations() *Expectations { return &Expectations{seed: maphash.MakeSeed()} }

// ExpectationReading is one look at all jobs. It is for one goroutine.
type ExpectationReading struct {
	of          *Expectations
	before, now map[core.JobID]expected
}

// Read begins a look at all jobs.
func (e *Expectations) Read() *ExpectationReading {
	e.mu.Lock()
	defer e.mu.Unlock()
	return &ExpectationReading{of: e, before: e.known, now: make(map[core.JobID]expected, len(e.known))}
}

// After is Expectation.After of a job whose definition is stored as this JSON; the zero when that cannot be read.
func (r *ExpectationReading) After(id core.JobID, definition []byte, since time.Time) time.Time {
	is := expected{definition: maphash.Bytes(r.of.seed, definition), since: since.UnixMicro()}
	if was, known := r.before[id]; known && was.definition == is.definition && was.since == is.since {
		is.at = was.at
	} else {
		var said Expectation
		if json.Unmarshal(definition, &said) == nil {
			is.at = said.After(since)
		}
	}
	r.now[id] = is
	return is.at
}

// Done keeps what was told. A job that was not asked about is forgotten.
func (r *ExpectationReading) Done() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.known = r.now
}
