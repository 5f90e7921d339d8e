package jobs

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// Desk holds the use cases of jobs: what people and programs may ask of them. What it decides is committed by
// the store first; the nudge that makes it fast comes after.
type Desk struct {
	store Store
	seals Seals
	nudge core.Nudger
	now   core.Clock
}

// Seals closes secret columns; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// NewDesk returns the use cases on a store.
func NewDesk(store Store, seals Seals, nudge core.Nudger, now core.Clock) *Desk {
	return &Desk{store: store, seals: seals, nudge: nudge, now: now}
}

// Draft is a job to be added.
type Draft struct {
	Name       string
	Repository core.RepositoryID
	Path       string // folder in the repository that holds the job.yaml
}

// Create adds a job; its definition is read from the repository soon after. Invalid "job.invalid".
func (d *Desk) Create(ctx context.Context, draft Draft, by access.Principal) (Job, error) {
	return Job{}, nil
}

// Update edits a job. Invalid "job.invalid".
func (d *Desk) Update(ctx context.Context, id core.JobID, change Change, by access.Principal) (Job, error) {
	return Job{}, nil
}

// Delete removes a job with its runs and variables. Conflict "job.running" while a run is open.
func (d *Desk) Delete(ctx context.Context, id core.JobID, by access.Principal) error { return nil }

// RunNow queues a run, in which overrides replace the job's variables or join them. Invalid "run.invalid"
// names overrides that cannot be variables, without their values.
func (d *Desk) RunNow(ctx context.Context, id core.JobID, overrides map[string]string, by access.Principal) (Run, error) {
	return Run{}, nil
}

// Cancel stops a run.
func (d *Desk) Cancel(ctx context.Context, id core.RunID, by access.Principal) (Run, error) {
	return Run{}, nil
}
