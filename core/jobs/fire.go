package jobs

import (
	"time"

	"berth/core"
	"berth/core/stacks"
)

// Firing is what becomes of a time that has come. The store keeps it whole, or not at all.
type Firing struct {
	At      time.Time    // the time that fires; the zero: nothing does, and only Next and Missed are stored
	Runs    []Start      // those to be stored: queued, with a command or without, or skipped
	Replace []core.RunID // open runs that are cancelled for it
	Missed  int          // times that are given up
	Next    time.Time    // when the job is due next; zero: never
}

// Start is a run with the command that hands it to its worker; Command is nil when it has to wait, or is skipped.
type Start struct {
	Run     Run
	Command *stacks.Command
}
