package jobs

import (
	"time"

	"berth/core"
	"berth/core/stacks"
)

// Firing is what becomes of a time that has come. The store keeps it whole, or not at all.
type Firing struct {
	At      time.Time    // the time that fires; the zero: nothing does, and Runs and Replace are empty
	Runs    []Start      // those to be stored: queued, with a command or without, or ended at once (skipped, refused)
	Replace []core.RunID // open runs that are cancelled for it
	Missed  int          // times that are given up
	FiredAt time.Time    // what Job.FiredAt becomes; the zero: as stored
	Next    time.Time    // when the job is due next; zero: never
}

// Beginning is what becomes of a job's waiting runs. The store keeps it whole, or not at all.
type Beginning struct {
	// Runs replace the rows of those that are open already (they begin, or end at once); the others are new: one
	// that waited for several workers becomes several.
	Runs    []Start
	Replace []core.RunID // open runs that are cancelled for one that waits
}

// Start is a run with the command that hands it to its worker; Command is nil when it has to wait, or has ended.
type Start struct {
	Run     Run
	Command *stacks.Command
}
