package jobs

import (
	"time"

	"berth/core"
)

// Figures is what the metrics show of all jobs.
type Figures struct {
	Jobs []Figure         // at most MaxFigures, by id
	All  int              // how many jobs there are
	Open map[RunState]int // runs that are queued or running

	Withdrawn []Withdrawal // newest runs first, at most MaxWithdrawn
}

// Withdrawal is a run that was cancelled before it was given to a worker: whoever cancels it may be a process that measures
// nothing.
type Withdrawal struct {
	Run core.RunID
	At  time.Time
}

// MaxWithdrawn is how many withdrawals are looked at.
const MaxWithdrawn = 200

// MaxFigures is how many jobs the metrics show one by one.
const MaxFigures = 10_000

// Figure is what the metrics show of one job.
type Figure struct {
	Job           core.JobID
	Name          string
	Repository    string // name
	Paused        bool
	Broken        bool      // its newest commit cannot be used
	NextAt        time.Time // zero: it is not due by itself
	LastSuccessAt time.Time // zero: never
	ExpectedAt    time.Time // when it should have ended well again, as Expectation says; zero: nobody expects it
	LastState     RunState  // of its newest run that ended; empty: none did
	LastSeconds   float64   // how long that took
	Missed        int
}

// Expectation is what of a definition says when a job should have ended well again.
type Expectation struct {
	Cron          string        `json:"cron"`
	Timezone      string        `json:"timezone"`
	StartDeadline time.Duration `json:"start_deadline"`
	Resources     struct {
		Timeout time.Duration `json:"timeout"`
	} `json:"resources"`
}

// After returns when a job should have ended well again that ended well, or was changed, at a time: by the end of the
// second run from there, as late as that may begin and as long as it may take. One that fails once is no reason to worry. The
// zero: it is on demand only, or what it says cannot be read.
func (e Expectation) After(since time.Time) time.Time {
	s, err := Definition{Cron: e.Cron, Timezone: e.Timezone}.Schedule()
	if err != nil || since.IsZero() {
		return time.Time{}
	}
	next := s.Upcoming(since, 2)
	if len(next) < 2 {
		return time.Time{}
	}
	return next[1].Add(e.StartDeadline + e.Resources.Timeout)
}
