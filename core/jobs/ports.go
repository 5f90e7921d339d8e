package jobs

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// Store keeps jobs for people. Each method is one transaction with its audit event.
type Store interface {
	// CreateJob stores a job and asks for a look at its repository. Conflict "job.name_taken"; Invalid "input.reference"
	// when the repository does not exist; Conflict "job.path_taken" when it is followed already.
	CreateJob(ctx context.Context, j Job, by access.Principal) (Job, error)
	// UpdateJob edits a job. NotFound "job.not_found"; Conflict "job.name_taken".
	UpdateJob(ctx context.Context, id core.JobID, change Change, by access.Principal) (Job, error)
	// DeleteJob removes a job with its runs, variables and bindings. Conflict "job.running" while a run is open.
	DeleteJob(ctx context.Context, id core.JobID, by access.Principal) error
	// QueueRun stores a queued run of what the job's newest readable commit says; overrides are sealed at
	// OverridesPlace. NotFound "job.not_found"; Conflict "job.not_ready", "job.queue_full".
	QueueRun(ctx context.Context, r Run, overrides seal.Sealed, by access.Principal) (Run, error)
	// CancelRun ends a run that was not given to its worker, or marks one to be stopped. NotFound
	// "run.not_found"; Conflict "run.ended".
	CancelRun(ctx context.Context, id core.RunID, by access.Principal) (Run, error)

	// Job returns one job. NotFound "job.not_found".
	Job(ctx context.Context, id core.JobID) (Job, error)
	// Jobs returns jobs by name.
	Jobs(ctx context.Context, f Filter, p core.Page) (core.List[Job], error)
	// JobCounts returns how many jobs stand how; those of none are left out.
	JobCounts(ctx context.Context) (map[Standing]int, error)
	// JobGroups returns the groups that jobs are in, in order, without the empty one.
	JobGroups(ctx context.Context) ([]string, error)
	// Run returns one run. NotFound "run.not_found".
	Run(ctx context.Context, id core.RunID) (Run, error)
	// Runs returns runs, newest first, without Definition and Configs, which lists have no use for.
	Runs(ctx context.Context, f RunFilter, p core.Page) (core.List[Run], error)
	// RecentRuns returns the newest runs of each of these jobs, at most limit each, newest first. Of each job the newest run
	// of each state is there as in Runs, but for what belongs to the run alone: definition, files and overrides; of the
	// others there are identifiers, state and times.
	RecentRuns(ctx context.Context, ids []core.JobID, limit int) (map[core.JobID][]Run, error)
	// RunLog returns pieces of a run's log after a number, at most limit of them.
	RunLog(ctx context.Context, id core.RunID, after uint64, limit int) ([]LogPiece, error)
}

// Change is what people edit of a job; nil stays.
type Change struct {
	Name   *string
	Path   *string // the definition is read anew
	Paused *bool   // the store sets Job.NextAt to what Job.Due says then: resuming does not make up for what was due meanwhile
}

// Filter narrows a list of jobs; empty fields do not.
type Filter struct {
	Repository core.RepositoryID
	Folder     string // only of this folder of a repository, or of one below it; empty: of all
	Group      string
	Standing   Standing
	Search     string // part of the name
}

// RunFilter narrows a list of runs; empty fields do not.
type RunFilter struct {
	Job   core.JobID
	State RunState
}
