package configuration

import (
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// Follow is what becomes of a repository's folders by themselves. Its zero value is nothing.
type Follow struct {
	What             repositories.FollowWhat
	Folders          string
	Existing, Remove bool

	// Of the stacks that are added.
	Worker     string // by name
	WorkerTags []string
	AutoSync   bool
}

func (f Follow) on() bool { return f.What != "" }

func (f Follow) parts() parts {
	if !f.on() {
		return nil
	}
	return parts{{"what", string(f.What)}}.text("folders", f.Folders).flag("existing", f.Existing, false).flag("remove", f.Remove, false).
		text("worker", f.Worker).list("worker_tags", f.WorkerTags).flag("auto_sync", f.AutoSync, true)
}

// written are the fields of a repository as a file has them; parts are those of its own step.
func (r Repository) written() parts {
	all := r.parts()
	if r.Follow.on() {
		all = append(all, part{"follow", r.Follow.parts()})
	}
	return all
}

func (r *reader) follow(at string) (f Follow) {
	if !r.Section(at, "what", "folders", "existing", "remove", "worker", "worker_tags", "auto_sync") {
		return f
	}
	f.AutoSync = true
	r.Flag(at+".auto_sync", &f.AutoSync)
	f.What = word(r, at+".what", repositories.FollowStacks, repositories.FollowAll)
	f.Folders, f.Existing, f.Remove = r.text(at+".folders"), r.flag(at+".existing"), r.flag(at+".remove")
	f.Worker, f.WorkerTags = r.text(at+".worker"), r.tags(at+".worker_tags")
	untagged := f // its tags were checked
	untagged.WorkerTags = nil
	kept, bad := untagged.change("").Apply(repositories.Following{})
	r.blame(strings.TrimSuffix(at, ".follow"), bad)
	f.Folders = kept.Folders
	return f
}

// change is what makes a repository followed so.
func (f Follow) change(worker core.WorkerID) repositories.FollowingChange {
	if !f.on() {
		return repositories.FollowingChange{What: new(repositories.FollowOff)}
	}
	return repositories.FollowingChange{What: &f.What, Folders: &f.Folders, Existing: &f.Existing, Remove: &f.Remove, Worker: &worker, WorkerTags: &f.WorkerTags, AutoSync: &f.AutoSync}
}

// followOf names a worker of which a repository's following speaks; one that was revoked is none.
func followOf(f repositories.Following, workers map[core.WorkerID]string) Follow {
	if !f.On() {
		return Follow{}
	}
	return Follow{f.What, f.Folders, f.Existing, f.Remove, workers[f.Worker], slices.Clone(f.WorkerTags), f.AutoSync}
}

// follow plans what is followed of the repositories that the file names.
func (p *planner) follow() {
	var want, have []Repository
	for _, is := range p.want.Repositories {
		at := slices.IndexFunc(p.have.Repositories, func(r Repository) bool { return r.Name == is.Name })
		followed := at >= 0 && p.have.Repositories[at].Follow.on()
		if followed {
			have = append(have, p.have.Repositories[at])
		}
		if followed || is.Follow.on() {
			want = append(want, is)
		}
	}
	compare(p, SectionFollow, "", false, want, have, func(r Repository) string { return r.Name }, func(r Repository) parts { return r.Follow.parts() }, p.blockFollow)
}

func (p *planner) blockFollow(is Repository, was *Repository) string {
	if is.Follow.Worker == "" || was != nil && was.Follow.Worker == is.Follow.Worker {
		return ""
	}
	return p.lacksWorker(is.Follow.Worker)
}

// noteUnmade keeps in mind of which repository a stack or a job is missing.
func (a *apply) noteUnmade(d Done) {
	switch {
	case d.Problem == "" || d.Owner != "":
	case d.Section == SectionStacks:
		a.unmade[a.want.stacks[d.Name].Repository] = true
	case d.Section == SectionJobs:
		a.unmade[a.want.jobs[d.Name].Repository] = true
	}
}

// errNotFollowed is why a repository is not followed yet.
var errNotFollowed = fault.New(fault.Conflict, "configuration.not_followed", "It is here, but not followed as the file says yet, because a stack or a job of it could not be made: following might make another one of the same folder. Apply the file again when that is mended.")

// follow has a repository followed as the file says.
func (a *apply) follow(ctx context.Context, name string) error {
	is, known := a.want.repositories[name].Follow, a.have.repositories[name].id
	switch {
	case known == "":
		return missing("repository", name)
	case is.on() && a.unmade[name]:
		return errNotFollowed
	}
	change := is.change(a.have.workers[is.Worker].id)
	_, err := a.Repositories.Update(ctx, known, repositories.Change{Following: &change}, a.by)
	return err
}
