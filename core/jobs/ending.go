package jobs

import "time"

// Word is what a worker says of how a run ended.
type Word struct {
	State    RunState      // RunSucceeded, RunFailed, RunCancelled, or RunLost when it cannot tell
	Code     string        // fault code, when failed
	Error    string        // public text with it
	ExitCode *int          // of the container, when that ended
	Ran      time.Duration // how long the container ran, by the worker's clock; zero: it was not started
}

// Settle returns the outcome of a run of which its worker said how it ended, with the attempt that follows.
func Settle(r Run, w Word, now time.Time) Outcome {
	return Outcome{Run: r.ID, Command: r.Command, State: w.State, At: now}
}

// Fail returns the outcome of a run that the hub itself ends: it could not be handed to its worker, because of err.
func Fail(r Run, err error, now time.Time) Outcome {
	return Outcome{Run: r.ID, State: RunFailed, At: now}
}

// Retry returns the attempt that follows a run that ended in a state, or nil when none does.
func (r Run) Retry(state RunState, now time.Time) *Run {
	return nil
}
