package intake

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
)

// FollowStore keeps what following knows. Each method is one transaction.
type FollowStore interface {
	// FollowKnown returns what is known of a repository.
	FollowKnown(ctx context.Context, id core.RepositoryID) (Known, error)
	// SetFollowed stores what was found of a repository as it was read: nothing when following was changed meanwhile.
	SetFollowed(ctx context.Context, r repositories.Repository, f Followed) error
}

// Followed is what a look found and did.
type Followed struct {
	Note      []Folder
	Forget    []Folder
	Proposals []Proposal // new, or with another problem
	Void      []string   // identifiers of stacks and jobs whose proposals are void
	Events    []repositories.Event
}

func (f Followed) empty() bool {
	return len(f.Note)+len(f.Forget)+len(f.Proposals)+len(f.Void)+len(f.Events) == 0
}

// StackRemover removes stacks; *stacks.Desk does.
type StackRemover interface {
	Delete(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error)
}

// JobRemover removes jobs; *jobs.Desk does.
type JobRemover interface {
	Delete(ctx context.Context, id core.JobID, by access.Principal) error
}

// Trees opens commits that were fetched; core.GitRemote does.
type Trees interface {
	Tree(ctx context.Context, repository core.RepositoryID, commit core.Commit) (core.Tree, error)
}

// Follower makes stacks and jobs of new folders of the repositories that are followed, and proposes what to do with those
// whose folder is gone. It acts as access.System. Its fields are set once.
type Follower struct {
	desk   Desk
	store  FollowStore
	stacks StackRemover
	jobs   JobRemover
	trees  Trees
}

// NewFollower returns a Follower.
func NewFollower(desk Desk, store FollowStore, stacks StackRemover, jobs JobRemover, trees Trees) *Follower {
	return &Follower{desk, store, stacks, jobs, trees}
}

// Look is a commit of a repository that was read.
type Look struct {
	Repository repositories.Repository // as before the look
	Commit     core.Commit
	Tree       core.Tree
	Lineage    core.Lineage // of the commit, seen from the repository's head
}

// Follow does what follows from a look for a repository that is followed; for others nothing. What one folder lacks does
// not keep the others out: it is told on the repository's page. The error is about the tree or the store.
func (f *Follower) Follow(ctx context.Context, l Look) error {
	if !l.Repository.Following.On() {
		return nil
	}
	known, err := f.store.FollowKnown(ctx, l.Repository.ID)
	if err != nil {
		return fmt.Errorf("follow the repository %s: %w", l.Repository.Name, err)
	}
	sight, err := f.see(ctx, l, known)
	if err != nil {
		return fmt.Errorf("follow the repository %s: %w", l.Repository.Name, err)
	}
	plan := decide(l.Repository, known, sight)
	done := Followed{Note: plan.Note, Forget: plan.Forget, Void: plan.Back}
	f.propose(ctx, l, plan, &done)
	f.add(ctx, l, known, plan, &done)
	done.hold(plan, known)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if done.empty() && l.Repository.FollowBegun {
		return nil
	}
	for i := range done.Events {
		done.Events[i].Repository, done.Events[i].Commit = l.Repository.ID, l.Commit
	}
	return f.store.SetFollowed(ctx, l.Repository, done)
}

// see reads what a commit holds of folders.
func (f *Follower) see(ctx context.Context, l Look, known Known) (Sight, error) {
	files, err := l.Tree.List(ctx, "")
	if err != nil {
		return Sight{}, err
	}
	s := Sight{Found: repositories.Offers(files), Continued: l.Lineage == core.LineageContinued}
	var marks, folders []string
	for _, t := range known.Things {
		marks = append(marks, t.mark())
	}
	for _, found := range s.Found {
		folders = append(folders, found.Path)
	}
	hashes, err := l.Tree.Hashes(ctx, slices.Concat(marks, folders))
	if err != nil {
		return Sight{}, err
	}
	s.Hashes, s.New = hashes, hashes
	for _, t := range known.Things {
		if hashes[t.mark()] == "" && l.Repository.Head != "" {
			s.Before = f.before(ctx, l, known)
			break
		}
	}
	return s, nil
}

// before returns the hashes of things' folders in the commit before; nil when nobody can tell.
func (f *Follower) before(ctx context.Context, l Look, known Known) map[string]string {
	tree, err := f.trees.Tree(ctx, l.Repository.ID, l.Repository.Head)
	if err != nil {
		return nil
	}
	defer tree.Close()
	var paths []string
	for _, t := range known.Things {
		paths = append(paths, t.Path)
	}
	hashes, err := tree.Hashes(ctx, paths)
	if err != nil {
		return nil
	}
	return hashes
}

// propose keeps what lost its folder, and removes what is to be removed by itself; its volumes stay.
func (f *Follower) propose(ctx context.Context, l Look, plan Plan, done *Followed) {
	for _, g := range plan.Gone {
		g.Repository, g.Commit = l.Repository.ID, l.Commit
		renamed := ""
		if g.MovedTo != "" {
			renamed = fmt.Sprintf(" It seems to have been renamed to %s.", folder(g.MovedTo))
		}
		done.say(repositories.EventGone, "The folder %s of the %s %q is not in the repository any more.%s", folder(g.Path), g.Kind, g.Name, renamed)
		if slices.ContainsFunc(plan.Remove, func(r Proposal) bool { return r.ID == g.ID }) {
			if err := f.removeThing(ctx, g); err == nil {
				done.say(repositories.EventRemoved, "The %s %q was removed by itself, because its folder %s is gone. Its volumes stay.", g.Kind, g.Name, folder(g.Path))
				continue
			} else {
				g.Problem = fmt.Sprintf(notRemoved, fault.PublicOf(err))
			}
		}
		done.Proposals = append(done.Proposals, g)
	}
}

func (f *Follower) removeThing(ctx context.Context, g Proposal) error {
	if g.Kind == repositories.KindJob {
		return f.jobs.Delete(ctx, core.JobID(g.ID), access.System)
	}
	_, err := f.stacks.Delete(ctx, core.StackID(g.ID), true, false, access.System)
	return err
}

// add makes stacks and jobs of new folders.
func (f *Follower) add(ctx context.Context, l Look, known Known, plan Plan, done *Followed) {
	following := l.Repository.Following
	wish := Wish{Worker: following.Worker, WorkerTags: following.WorkerTags, AutoSync: following.AutoSync}
	for i, found := range plan.Add {
		if i < MaxPicks {
			wish.Picks = append(wish.Picks, Pick{Path: found.Path, Kind: found.Kind})
			continue
		}
		done.refuse(known, Folder{Kind: found.Kind, Path: found.Path, State: FolderRefused, Problem: fmt.Sprintf(tooMany, MaxPicks)})
	}
	if len(wish.Picks) == 0 {
		return
	}
	all, err := f.desk.Add(ctx, l.Repository.ID, wish, access.System)
	for _, a := range all {
		if a.Err != nil {
			done.refuse(known, Folder{Kind: a.Kind, Path: a.Path, State: FolderRefused, Problem: fault.PublicOf(a.Err)})
			continue
		}
		done.Note = append(done.Note, Folder{Kind: a.Kind, Path: a.Path, State: FolderAdded})
		done.say(repositories.EventAdded, "The new folder %s was added by itself as the %s %q.", folder(a.Path), a.Kind, a.Name)
	}
	if err != nil && len(all) == 0 {
		done.say(repositories.EventRefused, "New folders could not be added: %s", fault.PublicOf(err))
	}
}

// hold says of the folders that are held what they wait for.
func (f *Followed) hold(plan Plan, known Known) {
	for i, n := range f.Note {
		if n.State != FolderHeld {
			continue
		}
		f.Note[i].Problem = fmt.Sprintf(heldAmong, n.Kind)
		for _, g := range plan.Gone {
			if g.Kind == n.Kind && g.MovedTo == n.Path {
				f.Note[i].Problem = fmt.Sprintf(heldFor, folder(g.Path), g.Kind, g.Name, g.Kind)
			}
		}
		f.tell(known, f.Note[i])
	}
}

// refuse keeps why a folder was not added.
func (f *Followed) refuse(known Known, at Folder) {
	f.tell(known, at)
	f.Note = append(f.Note, at)
}

// tell says why a folder waits, unless that was said before.
func (f *Followed) tell(known Known, at Folder) {
	was := slices.IndexFunc(known.Folders, func(k Folder) bool { return k.Kind == at.Kind && k.Path == at.Path })
	if was < 0 || known.Folders[was].Problem != at.Problem {
		f.say(repositories.EventRefused, "The new folder %s was not added as a %s: %s", folder(at.Path), at.Kind, at.Problem)
	}
}

func (f *Followed) say(kind repositories.EventKind, text string, rest ...any) {
	f.Events = append(f.Events, repositories.Event{Kind: kind, Text: fmt.Sprintf(text, rest...)})
}

// folder shows a path.
func folder(at string) string {
	if at == "" {
		return "the root"
	}
	return at
}
