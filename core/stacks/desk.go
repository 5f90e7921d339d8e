package stacks

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// Desk holds the use cases of stacks: what people and programs may ask of them. What it
// decides is committed by the store first; the nudge that makes it fast comes after.
type Desk struct {
	store   Store
	nudge   core.Nudger
	now     core.Clock
	folders Folders // nil: what stacks are made of is not looked at before it is deployed
}

// Folders tells whether the head of a repository, as it was fetched last, lacks a folder: it returns that
// commit then. Empty: the folder is there, or nobody can tell yet. repositories.Folders does it.
type Folders interface {
	Lacks(ctx context.Context, repository core.RepositoryID, path string) core.Commit
}

// Store keeps stacks. Each method is one transaction with its audit event.
type Store interface {
	// CreateStack stores a stack and, when first is not nil, queues its first deployment.
	CreateStack(ctx context.Context, s Stack, first *Ask, by access.Principal) (Stack, Deployment, error)
	// UpdateStack edits a stack; Conflict "stack.placed" for what its containers depend on.
	UpdateStack(ctx context.Context, id core.StackID, change Change, by access.Principal) (Stack, error)
	// DeleteStack removes a stack, after a teardown on its worker when one is asked for.
	DeleteStack(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error)
	// QueueDeployment returns the deployment that covers the wish.
	QueueDeployment(ctx context.Context, ask Ask, by access.Principal) (Deployment, error)
	// CancelDeployment ends a queued deployment, or marks a running one to be stopped.
	CancelDeployment(ctx context.Context, id core.DeploymentID, by access.Principal) (Deployment, error)
	// PauseStack holds automatic sync, retries and repair back; ResumeStack has the repository looked
	// at again. Pausing what is paused already, or the other way round, changes nothing.
	PauseStack(ctx context.Context, id core.StackID, by access.Principal) (Stack, error)
	ResumeStack(ctx context.Context, id core.StackID, by access.Principal) (Stack, error)
	// Stack returns one stack. NotFound "stack.not_found".
	Stack(ctx context.Context, id core.StackID) (Stack, error)
	// RecordAct keeps who acts on a compose service.
	RecordAct(ctx context.Context, id core.StackID, service string, act Act, by access.Principal) error
}

// NewDesk returns the use cases on a store.
func NewDesk(store Store, nudge core.Nudger, now core.Clock) *Desk {
	return &Desk{store: store, nudge: nudge, now: now}
}

// Beside returns d with folders beside it: stacks whose folder is not there are refused.
func (d *Desk) Beside(folders Folders) *Desk {
	beside := *d
	beside.folders = folders
	return &beside
}

// Draft is a stack to be created.
type Draft struct {
	Name       string
	Repository core.RepositoryID
	Path       string
	Worker     core.WorkerID // empty: placed by tags
	WorkerTags []string
	AutoSync   bool
}

// CheckFolder complains about a folder that folders says is not there; nil folders say nothing.
func CheckFolder(ctx context.Context, folders Folders, repository core.RepositoryID, path string) []fault.Field {
	if folders == nil {
		return nil
	}
	head := folders.Lacks(ctx, repository, path)
	if head == "" {
		return nil
	}
	return []fault.Field{{Path: "path", Problem: fmt.Sprintf("commit %s, the newest that was fetched, has no folder %s; add it to the repository first, or correct the path", head.Short(), path)}}
}

// MissingFolder is what Create says of a folder that is not there; empty: it is there, or nobody can tell yet.
func (d *Desk) MissingFolder(ctx context.Context, repository core.RepositoryID, path string) string {
	for _, bad := range CheckFolder(ctx, d.folders, repository, path) {
		return bad.Problem
	}
	return ""
}

// CheckMove is CheckFolder for what is to follow another folder than before. That it stays where it is can always be asked for.
func CheckMove(ctx context.Context, folders Folders, repository core.RepositoryID, from, to string) []fault.Field {
	if from == to {
		return nil
	}
	return CheckFolder(ctx, folders, repository, to)
}

// Create stores a stack. With AutoSync its first deployment is queued at once.
func (d *Desk) Create(ctx context.Context, draft Draft, by access.Principal) (Stack, Deployment, error) {
	path, bad := CleanPath(draft.Path)
	bad = append(bad, CheckName(draft.Name)...)
	bad = append(bad, core.CheckTags("worker_tags", draft.WorkerTags)...)
	if draft.Repository == "" {
		bad = append(bad, fault.Field{Path: "repository_id", Problem: "is required: the repository that holds the stack's folder"})
	}
	if len(bad) == 0 {
		bad = CheckFolder(ctx, d.folders, draft.Repository, path)
	}
	if err := fault.BadFields("stack.invalid", bad); err != nil {
		return Stack{}, Deployment{}, err
	}
	s := Stack{
		ID: core.StackID(core.NewID(core.PrefixStack, d.now())), Name: draft.Name, Repository: draft.Repository, Path: path,
		Worker: draft.Worker, WorkerTags: draft.WorkerTags, AutoSync: draft.AutoSync,
	}
	var first *Ask
	if draft.AutoSync {
		ask := askOf(s.ID, by, "the stack was added")
		first = &ask
	}
	created, deployment, err := d.store.CreateStack(ctx, s, first, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return created, deployment, err
}

// Update edits a stack. Invalid "stack.invalid", also for a folder that the head of its repository lacks, unless the stack
// is made of that already.
func (d *Desk) Update(ctx context.Context, id core.StackID, change Change, by access.Principal) (Stack, error) {
	var bad []fault.Field
	if change.Name != nil {
		bad = append(bad, CheckName(*change.Name)...)
	}
	if change.Path != nil {
		path, problems := CleanPath(*change.Path)
		change.Path = &path
		bad = append(bad, problems...)
	}
	if change.WorkerTags != nil {
		bad = append(bad, core.CheckTags("worker_tags", *change.WorkerTags)...)
	}
	if len(bad) == 0 && change.Path != nil {
		is, err := d.store.Stack(ctx, id)
		if err != nil {
			return Stack{}, err
		}
		bad = CheckMove(ctx, d.folders, is.Repository, is.Path, *change.Path)
	}
	if err := fault.BadFields("stack.invalid", bad); err != nil {
		return Stack{}, err
	}
	s, err := d.store.UpdateStack(ctx, id, change, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return s, err
}

// Delete removes a stack. With teardown its containers go first, and its volumes too
// when volumes is set; gone is false while the worker is at it.
func (d *Desk) Delete(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error) {
	gone, err = d.store.DeleteStack(ctx, id, teardown, volumes, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return gone, err
}

// Sync asks for a deployment of the repository's head.
func (d *Desk) Sync(ctx context.Context, id core.StackID, by access.Principal) (Deployment, error) {
	return d.ask(ctx, askOf(id, by, "sync was asked for"), by)
}

// Redeploy asks for what is in place, or is to be, to be put in place again, and recreates what
// options say; see Again for what that is.
func (d *Desk) Redeploy(ctx context.Context, id core.StackID, options DeployOptions, by access.Principal) (Deployment, error) {
	ask := askOf(id, by, "a redeploy was asked for")
	ask.Trigger, ask.Options = TriggerRedeploy, options
	return d.ask(ctx, ask, by)
}

// Rollback asks for a kept revision to be put in place, with the files and the manifest of that
// revision and today's secrets. Invalid "revision.number" when it is no number from 1;
// NotFound "revision.not_found".
func (d *Desk) Rollback(ctx context.Context, id core.StackID, revision int, by access.Principal) (Deployment, error) {
	if revision < 1 {
		return Deployment{}, fault.BadFields("revision.number", []fault.Field{{Path: "revision", Problem: "is required: the number of a revision of this stack, from 1"}})
	}
	ask := askOf(id, by, fmt.Sprintf("a rollback to revision %d was asked for", revision))
	ask.Trigger, ask.Aim = TriggerRollback, Aim{Revision: revision}
	return d.ask(ctx, ask, by)
}

// Transfer asks for the stack to be moved to another worker: put in place and verified there,
// then taken down on the one where it runs. Its volumes do not move. Invalid
// "stack.transfer" when the worker may not be used or shares an engine with the present one.
func (d *Desk) Transfer(ctx context.Context, id core.StackID, worker core.WorkerID, by access.Principal) (Deployment, error) {
	if worker == "" {
		return Deployment{}, fault.BadFields("stack.transfer", []fault.Field{{Path: "worker_id", Problem: "is required: the worker that the stack moves to"}})
	}
	ask := askOf(id, by, "a transfer to another worker was asked for")
	ask.Trigger, ask.Aim = TriggerTransfer, Aim{Worker: worker}
	return d.ask(ctx, ask, by)
}

// Pause holds automatic sync, retries and repair back until Resume. People can still deploy.
func (d *Desk) Pause(ctx context.Context, id core.StackID, by access.Principal) (Stack, error) {
	return d.store.PauseStack(ctx, id, by)
}

// Resume ends a pause; what the stack missed is looked at now.
func (d *Desk) Resume(ctx context.Context, id core.StackID, by access.Principal) (Stack, error) {
	s, err := d.store.ResumeStack(ctx, id, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return s, err
}

// Cancel stops a deployment.
func (d *Desk) Cancel(ctx context.Context, id core.DeploymentID, by access.Principal) (Deployment, error) {
	deployment, err := d.store.CancelDeployment(ctx, id, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return deployment, err
}

func (d *Desk) ask(ctx context.Context, ask Ask, by access.Principal) (Deployment, error) {
	deployment, err := d.store.QueueDeployment(ctx, ask, by)
	if err == nil {
		d.nudge.Nudge()
	}
	return deployment, err
}

// askOf is the wish of a principal: a person's is manual, a program's came by the API, and Berth's own by polling.
func askOf(id core.StackID, by access.Principal, reason string) Ask {
	trigger := TriggerManual
	switch by.Kind {
	case access.KindServiceAccount:
		trigger = TriggerAPI
	case access.KindSystem: // its folder is new in a repository that is followed
		trigger = TriggerPoll
	}
	return Ask{Stack: id, Trigger: trigger, Actor: by.Name, Reason: reason + " by " + by.Name}
}
