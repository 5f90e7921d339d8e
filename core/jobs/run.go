package jobs

import (
	"time"

	"berth/core"
	"berth/core/seal"
)

// Run is one run of a job on one worker. It ends once.
type Run struct {
	ID          core.RunID
	Job         core.JobID
	Fire        core.RunID // first run of the fire that it belongs to, often itself: other workers' runs and retries have the same
	State       RunState
	Trigger     Trigger
	Actor       string      // principal that asked, as audit shows it; "system" for a schedule
	ScheduledAt time.Time   // the time that fired; for one that was asked for, when that was
	Commit      core.Commit // that Definition and Configs are of
	Definition  Definition
	Configs     []ConfigFile
	Overrides   []string       // names of the variables that were given for this fire alone; their values are sealed with the run Fire
	Worker      core.WorkerID  // empty until it has one
	Command     core.CommandID // empty until it was given to its worker
	RetryOf     core.RunID     // the run before, of which this is another attempt; else empty
	Attempt     int            // from 1
	NotBefore   time.Time      // it does not begin earlier
	ExitCode    *int           // of its container; nil when that did not end, or there was none
	ErrorCode   string         // fault code, when it failed, was skipped or is lost
	Error       string         // public text with it
	Cancelling  bool           // somebody asked to stop it
	CancelledBy string         // who did, as audit shows it
	QueuedAt    time.Time
	StartedAt   time.Time // of its container; zero until it runs
	FinishedAt  time.Time // zero until it ended
}

// RunState is where a run stands.
type RunState string

// The states of a run.
const (
	RunQueued    RunState = "queued"
	RunRunning   RunState = "running"
	RunSucceeded RunState = "succeeded"
	RunFailed    RunState = "failed"
	RunCancelled RunState = "cancelled"
	RunSkipped   RunState = "skipped" // it never began: overlap, or no worker in time
	RunLost      RunState = "lost"    // nobody can tell how it ended
)

// RunStates are all of them, as a run goes through them.
var RunStates = []RunState{RunQueued, RunRunning, RunSucceeded, RunFailed, RunCancelled, RunSkipped, RunLost}

// Ended reports whether the state is final.
func (s RunState) Ended() bool { return s != RunQueued && s != RunRunning }

// Trigger is what caused a run.
type Trigger string

// The triggers.
const (
	TriggerCron   Trigger = "cron"
	TriggerManual Trigger = "manual"
	TriggerAPI    Trigger = "api"
	TriggerRetry  Trigger = "retry"
)

// OverridesPlace is where the values of Run.Overrides are sealed, as a JSON object from name to value: in the
// row of the run that Run.Fire names, which is kept as long as a run of that fire is open.
func OverridesPlace(fire core.RunID) seal.Place {
	return seal.Place{Table: "job_runs", Row: string(fire), Column: "overrides"}
}

// ContainerName is the name of a run's container, by which it is found again.
func ContainerName(id core.RunID) string { return "berth-" + string(id) }

// LogPiece is a numbered piece of a run's log.
type LogPiece struct {
	Run    core.RunID
	Number uint64 // from 1, without gaps
	At     time.Time
	Text   string // whole lines, at most 64 KiB
}

// Outcome is how a run ended, to be stored in one transaction with the end of its command.
type Outcome struct {
	Run       core.RunID
	Command   core.CommandID // whose word it is; empty: it is the hub's own
	State     RunState
	ExitCode  *int
	ErrorCode string
	Error     string
	StartedAt time.Time // of its container, when the worker says; zero: as stored
	At        time.Time
	Actor     string // person whose act ended it; empty: nobody's
	// OnlyUnsent ends it only if its command was not sent yet.
	OnlyUnsent bool
	Retry      *Run // another attempt to store with it; nil: none
}

// Progress is what a worker has told of a run under way.
type Progress struct {
	Run       core.RunID
	StartedAt time.Time // of its container; zero: it was not started, as far as is known here
	Heard     Heard
}

// Recorded is how much of a run's log is stored.
type Recorded struct {
	Number uint64 // of its last piece; 0: there is none
	Bytes  int    // of all its pieces
	Heard  Heard
}

// Heard is how far the events of a run's command are stored.
type Heard struct {
	Attempt int    `json:"attempt"`
	Event   uint64 `json:"event"`
	// LogTo is what the last of them that had lines of the container said of how far its log is told. A worker that was
	// restarted reads the log on from there.
	LogTo string `json:"log_to,omitempty"`
}
