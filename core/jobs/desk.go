package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/variables"
)

// Desk holds the use cases of jobs: what people and programs may ask of them. What it decides is committed by
// the store first; the nudge that makes it fast comes after.
type Desk struct {
	store   Store
	seals   variables.Seals
	nudge   core.Nudger
	now     core.Clock
	folders stacks.Folders // nil: whether a job's folder is there is not looked at before it is read
}

// NewDesk returns the use cases on a store. seals closes what is given for one run alone.
func NewDesk(store Store, seals variables.Seals, nudge core.Nudger, now core.Clock) *Desk {
	return &Desk{store: store, seals: seals, nudge: nudge, now: now}
}

// Beside returns d with folders beside it: jobs whose folder is not there are refused.
func (d *Desk) Beside(folders stacks.Folders) *Desk {
	beside := *d
	beside.folders = folders
	return &beside
}

// Draft is a job to be added.
type Draft struct {
	Name       string
	Repository core.RepositoryID
	Path       string // folder in the repository that holds the job.yaml
}

// Create adds a job; its definition is read from the repository soon after. Invalid "job.invalid".
func (d *Desk) Create(ctx context.Context, draft Draft, by access.Principal) (Job, error) {
	path, bad := stacks.CleanPath(draft.Path)
	bad = append(bad, stacks.CheckName(draft.Name)...)
	if draft.Repository == "" {
		bad = append(bad, fault.Field{Path: "repository_id", Problem: "is required: the repository that holds the job's folder"})
	}
	if len(bad) == 0 {
		bad = stacks.CheckFolder(ctx, d.folders, draft.Repository, path)
	}
	if err := fault.BadFields("job.invalid", bad); err != nil {
		return Job{}, err
	}
	id := core.JobID(core.NewID(core.PrefixJob, d.now()))
	j, err := d.store.CreateJob(ctx, Job{ID: id, Name: draft.Name, Repository: draft.Repository, Path: path}, by)
	return j, d.nudged(err)
}

// nudged wakes the hub after what was stored.
func (d *Desk) nudged(err error) error {
	if err == nil {
		d.nudge.Nudge()
	}
	return err
}

// Update edits a job. Invalid "job.invalid", also for a folder that the head of its repository lacks, unless the job
// follows that already.
func (d *Desk) Update(ctx context.Context, id core.JobID, change Change, by access.Principal) (Job, error) {
	var bad []fault.Field
	if change.Name != nil {
		bad = append(bad, stacks.CheckName(*change.Name)...)
	}
	if change.Path != nil {
		path, problems := stacks.CleanPath(*change.Path)
		change.Path = &path
		bad = append(bad, problems...)
	}
	if len(bad) == 0 && change.Path != nil {
		is, err := d.store.Job(ctx, id)
		if err != nil {
			return Job{}, err
		}
		bad = stacks.CheckMove(ctx, d.folders, is.Repository, is.Path, *change.Path)
	}
	if err := fault.BadFields("job.invalid", bad); err != nil {
		return Job{}, err
	}
	j, err := d.store.UpdateJob(ctx, id, change, by)
	return j, d.nudged(err)
}

// Delete removes a job with its runs and variables. Conflict "job.running" while a run is open.
func (d *Desk) Delete(ctx context.Context, id core.JobID, by access.Principal) error {
	return d.nudged(d.store.DeleteJob(ctx, id, by))
}

// RunNow queues a run, in which overrides replace the job's variables or join them. Invalid "run.invalid"
// names overrides that cannot be variables, without their values.
func (d *Desk) RunNow(ctx context.Context, id core.JobID, overrides map[string]string, by access.Principal) (Run, error) {
	if err := fault.BadFields("run.invalid", checkOverrides(overrides)); err != nil {
		return Run{}, err
	}
	now := d.now()
	run := core.RunID(core.NewID(core.PrefixRun, now))
	r := Run{ID: run, Fire: run, Job: id, State: RunQueued, Trigger: TriggerManual, Actor: by.Name, ScheduledAt: now, QueuedAt: now, Attempt: 1,
		Overrides: slices.Sorted(maps.Keys(overrides))}
	if by.Kind == access.KindServiceAccount {
		r.Trigger = TriggerAPI
	}
	sealed, err := d.seal(r, overrides)
	if err != nil {
		return Run{}, err
	}
	r, err = d.store.QueueRun(ctx, r, sealed, by)
	return r, d.nudged(err)
}

// Limits of what is given for one run.
const (
	maxOverrides     = 100
	maxOverrideBytes = 256 << 10 // altogether
)

func checkOverrides(overrides map[string]string) (bad []fault.Field) {
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		at := "variables." + name
		sum += len(name) + len(overrides[name])
		if !variables.ValidName(name) {
			bad = append(bad, fault.Field{Path: fmt.Sprintf("variables.%.60q", name), Problem: fmt.Sprintf("a name has letters, digits and _, does not begin with a digit, and has at most %d of them", variables.MaxName)})
		} else if problem := variables.ValueProblem(overrides[name]); problem != "" {
			bad = append(bad, fault.Field{Path: at, Problem: problem})
		}
	}
	if len(overrides) > maxOverrides || sum > maxOverrideBytes {
		return []fault.Field{{Path: "variables", Problem: fmt.Sprintf("at most %d of altogether %d KiB", maxOverrides, maxOverrideBytes>>10)}}
	}
	return bad
}

// seal closes what was given for a run; nil when nothing was.
func (d *Desk) seal(r Run, overrides map[string]string) (seal.Sealed, error) {
	if len(overrides) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(overrides)
	if err != nil {
		return nil, fmt.Errorf("keep what was given for a run: %w", err)
	}
	sealed, err := d.seals.Seal(OverridesPlace(r.Fire), text)
	if err != nil {
		return nil, fmt.Errorf("keep what was given for a run: %w", err)
	}
	return sealed, nil
}

// Cancel stops a run. NotFound "run.not_found"; Conflict "run.ended".
func (d *Desk) Cancel(ctx context.Context, id core.RunID, by access.Principal) (Run, error) {
	r, err := d.store.CancelRun(ctx, id, by)
	return r, d.nudged(err)
}
