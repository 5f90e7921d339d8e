package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/seal"
)

// JobStore is what following, firing and running jobs reads and records. Each method is one transaction.
type JobStore interface {
	// JobsOfRepository returns the jobs of a repository. Those that cannot be read are left out and named in
	// the error, "store.unreadable".
	JobsOfRepository(ctx context.Context, id core.RepositoryID) ([]jobs.Job, error)
	// RecordSights stores what polling found of jobs, and with it when each is due next, which next says of
	// the job as it is after the sight.
	RecordSights(ctx context.Context, sights []jobs.Sight, next func(jobs.Job) time.Time) error
	// DueJobs returns the jobs that are due at a time and not paused, longest overdue first; next is when the
	// next of the others is due, zero when none is. Those that cannot be read are left out and named in the
	// error, "store.unreadable".
	DueJobs(ctx context.Context, at time.Time, limit int) (due []jobs.Job, next time.Time, err error)
	// SetDue stores anew when each job is due, which next says.
	SetDue(ctx context.Context, next func(jobs.Job) time.Time) error
	// Fire stores what becomes of jobs that are due. decide is asked about each job and its open runs, oldest first, as
	// they are in the transaction, may be called again, and has no effect of its own. A job that is not due
	// any more is left out. It returns the runs that were stored.
	Fire(ctx context.Context, ids []core.JobID, at time.Time, decide func(j jobs.Job, open []jobs.Run) jobs.Firing) ([]jobs.Run, error)
	// WaitingRuns returns the jobs of queued runs that have no command and may begin at a time, oldest run
	// first, each job once; next is when the next of the others may begin, zero when there is none.
	WaitingRuns(ctx context.Context, at time.Time) (waiting []core.JobID, next time.Time, err error)
	// Begin stores which of a job's waiting runs begin, or are skipped. decide is asked about each job and its
	// open runs, oldest first, in the transaction, as Fire's. A Start whose run is open already replaces that row.
	Begin(ctx context.Context, ids []core.JobID, decide func(j jobs.Job, open []jobs.Run) jobs.Beginning) ([]jobs.Run, error)
	// Job returns one job. NotFound "job.not_found".
	Job(ctx context.Context, id core.JobID) (jobs.Job, error)
	// Run returns one run. NotFound "run.not_found".
	Run(ctx context.Context, id core.RunID) (jobs.Run, error)
	// RunOverrides returns the sealed values of the variables that were given for a fire, by the run that
	// Run.Fire names; nil when there are none.
	RunOverrides(ctx context.Context, id core.RunID) (seal.Sealed, error)
	// TakeBackRuns takes the runs back that were given to a worker which left before they were sent to it: they wait
	// again, for any worker when their job wants one.
	TakeBackRuns(ctx context.Context) error
	// CancelledRuns returns the open runs that somebody asked to stop and that have a command.
	CancelledRuns(ctx context.Context) ([]jobs.Run, error)
	// OpenRunsOf counts the open runs that each worker has.
	OpenRunsOf(ctx context.Context) (map[core.WorkerID]int, error)
	// EndRun closes a run and its command, and stores the retry that follows it. ended is false when it was
	// closed before, or when it is to end only unsent and was sent. The word of a command counts as long as
	// that is open.
	EndRun(ctx context.Context, o jobs.Outcome, pieces []jobs.LogPiece) (ended bool, err error)
	// SaveRunLog stores pieces of logs, and how far their runs have come, in one commit: a queued run whose container
	// was started becomes running. What belongs to a run that has ended or is gone is dropped.
	SaveRunLog(ctx context.Context, progress []jobs.Progress, pieces []jobs.LogPiece) error
	// RunRecorded returns what is stored of a run's log. NotFound "run.not_found".
	RunRecorded(ctx context.Context, id core.RunID) (jobs.Recorded, error)
	// StackRuns returns the running runs of the jobs that belong to a stack: those of its repository whose
	// folder is the stack's or lies below it.
	StackRuns(ctx context.Context, stack core.StackID) ([]jobs.Run, error)
	// JobContent calls keep with every config file that a job or an open run names.
	JobContent(ctx context.Context, keep func(jobs.ConfigFile)) error
	// JobFigures returns what the metrics show of all jobs.
	JobFigures(ctx context.Context) (jobs.Figures, error)
}
