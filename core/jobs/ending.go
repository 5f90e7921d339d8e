package jobs

import (
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// Word is what a worker says of how a run ended.
type Word struct {
	State    RunState      // RunSucceeded, RunFailed, RunCancelled; anything else: it cannot tell
	Code     string        // fault code, when failed
	Error    string        // public text with it
	ExitCode *int          // of the container, when that ended
	Ran      time.Duration // how long the container ran, by the worker's clock; zero: it was not started
}

// Settle returns the outcome of a run of which its worker said how it ended, with the attempt that follows. How long it took is
// what the worker measured: its word may come long after the end.
func Settle(r Run, w Word, now time.Time) Outcome {
	o := Outcome{Run: r.ID, Command: r.Command, State: w.State, ExitCode: w.ExitCode, ErrorCode: w.Code, Error: w.Error, At: now}
	if w.Ran > 0 {
		if o.StartedAt = r.StartedAt; o.StartedAt.IsZero() || o.StartedAt.Add(w.Ran).After(now) {
			o.StartedAt = now.Add(-w.Ran)
		}
		o.At = o.StartedAt.Add(w.Ran)
	}
	switch w.State {
	case RunSucceeded:
		o.ErrorCode, o.Error = "", ""
	case RunFailed:
		if w.Code != codeRefused { // what the policy forbids it forbids again
			o.Retry = r.Retry(RunFailed, now)
		}
	case RunCancelled: // as one that had not begun
		o.Actor, o.ErrorCode = r.CancelledBy, "run.cancelled"
		if r.CancelledBy == access.System.Name {
			o.ErrorCode, o.Error = "run.replaced", "A newer run of the job took its place, as overlap: replace in job.yaml wants it, and its container was stopped."
		}
	default:
		o.State, o.ErrorCode = RunLost, "run.lost"
		if o.Error == "" {
			o.Error = "Its worker was interrupted and found no container of it afterwards, so nobody can tell how it ended. Look at what it was to do before you run the job again."
		}
	}
	return o
}

// Fail returns the outcome of a run that the hub itself ends: it could not be handed to its worker, because of err.
func Fail(r Run, err error, now time.Time) Outcome {
	return Outcome{Run: r.ID, State: RunFailed, ErrorCode: fault.CodeOf(err), Error: fault.PublicOf(err), At: now, Retry: r.Retry(RunFailed, now)}
}

// maxBackoff is the longest pause before another attempt.
const maxBackoff = time.Hour

// Retry returns the attempt that follows a run that ended in a state, or nil when none does. It is for the same time, and for
// the same worker when the job runs on all.
func (r Run) Retry(state RunState, now time.Time) *Run {
	retries := r.Definition.Retries
	if state != RunFailed || r.Attempt > retries.Count || r.Cancelling {
		return nil
	}
	pause := min(retries.Backoff, maxBackoff)
	for range r.Attempt - 1 {
		pause = min(2*pause, maxBackoff)
	}
	next := Run{ID: core.RunID(core.NewID(core.PrefixRun, now)), Job: r.Job, Fire: r.Fire, State: RunQueued, Trigger: TriggerRetry, Actor: r.Actor,
		ScheduledAt: r.ScheduledAt, Commit: r.Commit, Definition: r.Definition, Configs: r.Configs, Overrides: r.Overrides,
		RetryOf: r.ID, Attempt: r.Attempt + 1, NotBefore: now.Add(pause), QueuedAt: now}
	if r.Definition.Mode == ModeOnceAll {
		next.Worker = r.Worker
	}
	return &next
}
