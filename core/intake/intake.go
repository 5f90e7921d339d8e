// Package intake adds stacks and jobs for folders that a repository was found to hold, many at once.
//
// It owns what follows from a pick: a name where none was given, and that one folder that is refused does not
// keep the others out. It must not know how folders are found (core/repositories does) nor what makes a stack or a job
// acceptable (their desks do). Start with Desk.Add.
package intake

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// MaxPicks is how many folders are added at once.
const MaxPicks = 100

// StackCreator adds stacks; *stacks.Desk does.
type StackCreator interface {
	Create(ctx context.Context, draft stacks.Draft, by access.Principal) (stacks.Stack, stacks.Deployment, error)
}

// JobCreator adds jobs; *jobs.Desk does.
type JobCreator interface {
	Create(ctx context.Context, draft jobs.Draft, by access.Principal) (jobs.Job, error)
}

// Finder finds one repository. NotFound "repository.not_found".
type Finder interface {
	Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error)
}

// Desk adds what was picked.
type Desk struct {
	finder Finder
	stacks StackCreator
	jobs   JobCreator
}

// NewDesk returns a Desk on the use cases that add one thing each.
func NewDesk(finder Finder, stacks StackCreator, jobs JobCreator) Desk {
	return Desk{finder: finder, stacks: stacks, jobs: jobs}
}

// Wish is what is to be added of a repository.
type Wish struct {
	Picks      []Pick
	Worker     core.WorkerID // of the stacks; empty: placed by tags
	WorkerTags []string      // of the stacks
	AutoSync   bool          // of the stacks
}

// Pick is a folder, and as what it is to be added.
type Pick struct {
	Path string // "" is the root
	Kind repositories.Kind
	Name string // empty: made of the folder's
}

// Added is what became of a pick.
type Added struct {
	Pick                // with the name that it got
	ID           string // of the stack or job; empty: it was not added
	DeploymentID core.DeploymentID
	Err          error // why it was not; its text is for people when it is a fault
}

// Add adds each pick for itself, in order, and returns what became of each. Invalid "intake.invalid" before anything is
// added; NotFound "repository.not_found".
func (d Desk) Add(ctx context.Context, id core.RepositoryID, wish Wish, by access.Principal) ([]Added, error) {
	repository, err := d.finder.Repository(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := wish.check(); err != nil {
		return nil, err
	}
	all := make([]Added, len(wish.Picks))
	for i, pick := range wish.Picks {
		if pick.Name == "" {
			pick.Name = jobs.ProposeName(pick.Path, repository.Name)
		}
		all[i] = d.add(ctx, id, pick, wish, by)
		if ctx.Err() != nil {
			return all[:i+1], ctx.Err()
		}
	}
	return all, nil
}

func (d Desk) add(ctx context.Context, id core.RepositoryID, pick Pick, wish Wish, by access.Principal) Added {
	added := Added{Pick: pick}
	if pick.Kind == repositories.KindJob {
		var j jobs.Job
		j, added.Err = d.jobs.Create(ctx, jobs.Draft{Name: pick.Name, Repository: id, Path: pick.Path}, by)
		added.ID = string(j.ID)
	} else {
		var s stacks.Stack
		var first stacks.Deployment
		s, first, added.Err = d.stacks.Create(ctx, stacks.Draft{Name: pick.Name, Repository: id, Path: pick.Path, Worker: wish.Worker,
			WorkerTags: wish.WorkerTags, AutoSync: wish.AutoSync}, by)
		added.ID, added.DeploymentID = string(s.ID), first.ID
	}
	if added.Err != nil {
		added.ID, added.DeploymentID = "", ""
	}
	return added
}

func (w Wish) check() error {
	var bad []fault.Field
	if len(w.Picks) == 0 || len(w.Picks) > MaxPicks {
		bad = append(bad, fault.Field{Path: "items", Problem: fmt.Sprintf("pick 1 to %d folders", MaxPicks)})
	}
	for i, pick := range w.Picks[:min(len(w.Picks), MaxPicks)] {
		if pick.Kind != repositories.KindStack && pick.Kind != repositories.KindJob {
			bad = append(bad, fault.Field{Path: fmt.Sprintf("items[%d].kind", i), Problem: "must be stack or job"})
		}
	}
	return fault.BadFields("intake.invalid", bad)
}
