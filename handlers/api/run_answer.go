package api

import (
	"time"

	"berth/core"
	"berth/core/jobs"
)

// RunAnswer is a run of a job as the API shows it.
type RunAnswer struct {
	ID          core.RunID    `json:"id"`
	JobID       core.JobID    `json:"job_id"`
	State       jobs.RunState `json:"state"`
	Trigger     jobs.Trigger  `json:"trigger"`
	Actor       string        `json:"actor"`        // who asked; "system" for a schedule
	ScheduledAt time.Time     `json:"scheduled_at"` // the time that it is for; of one that was asked for, when that was
	FireID      core.RunID    `json:"fire_id"`      // the first run of the same fire, often itself: a job that runs on every worker has several, and retries have their fire's
	Attempt     int           `json:"attempt"`      // for which time the same is tried: 1 unless it is a retry
	RetryOf     core.RunID    `json:"retry_of"`     // the run before, of which it is another attempt; "" when it is none
	NotBefore   *time.Time    `json:"not_before"`   // a retry does not begin earlier; null for others
	WorkerID    core.WorkerID `json:"worker_id"`    // "" until it has one
	Commit      core.Commit   `json:"commit"`       // whose job.yaml it follows
	Overrides   []string      `json:"overrides"`    // names of the variables that were given for this run alone
	ExitCode    *int          `json:"exit_code"`    // of its container; null while it runs, or when there was none
	ErrorCode   string        `json:"error_code"`
	Error       string        `json:"error"`        // why it failed, was skipped or is lost
	Cancelling  bool          `json:"cancelling"`   // somebody asked to stop it
	CancelledBy string        `json:"cancelled_by"` // who did; "": nobody
	QueuedAt    time.Time     `json:"queued_at"`
	StartedAt   *time.Time    `json:"started_at"`  // of its container; null until it runs
	FinishedAt  *time.Time    `json:"finished_at"` // null until it has ended
	DurationMS  *int64        `json:"duration_ms"` // from start to end; null until it has ended, or when it never began
}

func showRun(r jobs.Run) RunAnswer {
	answer := RunAnswer{
		ID: r.ID, JobID: r.Job, State: r.State, Trigger: r.Trigger, Actor: r.Actor, ScheduledAt: r.ScheduledAt, FireID: r.Fire, Attempt: max(1, r.Attempt), RetryOf: r.RetryOf,
		NotBefore: optionalTime(r.NotBefore), WorkerID: r.Worker, Commit: r.Commit, Overrides: orEmpty(r.Overrides), ExitCode: r.ExitCode, ErrorCode: r.ErrorCode, Error: r.Error,
		Cancelling: r.Cancelling, CancelledBy: r.CancelledBy, QueuedAt: r.QueuedAt, StartedAt: optionalTime(r.StartedAt), FinishedAt: optionalTime(r.FinishedAt),
	}
	if !r.StartedAt.IsZero() && !r.FinishedAt.IsZero() {
		ms := max(0, r.FinishedAt.Sub(r.StartedAt)).Milliseconds()
		answer.DurationMS = &ms
	}
	return answer
}
