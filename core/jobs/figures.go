package jobs

import (
	"time"

	"berth/core"
)

// Figures is what the metrics show of all jobs.
type Figures struct {
	Jobs []Figure         // at most MaxFigures, by id
	Open map[RunState]int // runs that are queued or running
}

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
	LastState     RunState  // of its newest run that ended; empty: none did
	LastSeconds   float64   // how long that took
	Missed        int
}
