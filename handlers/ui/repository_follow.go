package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/intake"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// FolderTeller knows what following repositories came to.
type FolderTeller interface {
	// FolderProposals returns what is proposed for stacks and jobs that lost their folder, oldest first: of one
	// repository, or of all.
	FolderProposals(ctx context.Context, id core.RepositoryID, limit int) ([]intake.Proposal, error)
	// WaitingFolders returns the new folders of a repository that were not added, and why.
	WaitingFolders(ctx context.Context, id core.RepositoryID) ([]intake.Folder, error)
}

// ProposalReader knows what is proposed for one stack or job that lost its folder; ok is false when nothing is.
type ProposalReader interface {
	FolderProposal(ctx context.Context, thing string) (p intake.Proposal, ok bool, err error)
}

// shownProposals is how many of a repository's proposals are listed.
const shownProposals = 50

// followLine is how a repository is followed, in short.
type followLine struct {
	Words     string
	Href      string
	Waiting   []waitingLine
	Proposals []proposalLine
}

// waitingLine is a new folder that was not added.
type waitingLine struct {
	Path, Kind, Problem string
	Since               moment
}

// proposalLine is a stack or job whose folder is gone, with what can be done.
type proposalLine struct {
	Kind, Name, Href string
	Path             string // that is gone
	MovedTo, MoveTo  string // folder that it seems to have been renamed to, shown and as it is posted
	Moved            bool
	Commit           string // empty: there is no proposal
	Problem          string
	Since            moment
}

func proposalOf(p intake.Proposal, now time.Time) proposalLine {
	line := proposalLine{Kind: string(p.Kind), Name: p.Name, Href: stackHref(core.StackID(p.ID)), Path: folderName(p.Path), MovedTo: folderName(p.MovedTo), MoveTo: p.MovedTo,
		Moved: p.MovedTo != "", Commit: p.Commit.Short(), Problem: p.Problem, Since: at(p.Since, now)}
	if p.Kind == repositories.KindJob {
		line.Href = jobHref(core.JobID(p.ID))
	}
	return line
}

// follow reads what following came to.
func (p *repositoryPage) follow(ctx context.Context, teller FolderTeller, known repositories.Repository, now time.Time) error {
	p.Follow = followLine{Words: followWords(known.Following), Href: repositoryHref(known.ID) + "/following"}
	if !known.Following.On() {
		return nil
	}
	proposals, err := teller.FolderProposals(ctx, known.ID, shownProposals)
	if err != nil {
		return err
	}
	for _, open := range proposals {
		p.Follow.Proposals = append(p.Follow.Proposals, proposalOf(open, now))
	}
	waiting, err := teller.WaitingFolders(ctx, known.ID)
	for _, f := range waiting[:min(len(waiting), shownProposals)] {
		p.Follow.Waiting = append(p.Follow.Waiting, waitingLine{Path: folderName(f.Path), Kind: string(f.Kind), Problem: sentence(f.Problem), Since: at(f.Since, now)})
	}
	return err
}

func followWords(f repositories.Following) string {
	words := map[repositories.FollowWhat]string{repositories.FollowStacks: "become stacks", repositories.FollowAll: "become stacks and jobs"}[f.What]
	switch {
	case words == "":
		return "Added by hand"
	case f.Folders != "":
		return "In " + f.Folders + " " + words
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// goneNeeds lists stacks and jobs whose folder is gone.
func goneNeeds(all []intake.Proposal, now time.Time) []need {
	var needs []need
	for _, p := range all {
		line := proposalOf(p, now)
		n := need{Tone: "warn", Icon: "alert", Kind: "Stack", Name: line.Name, Href: line.Href, Since: line.Since, Post: true, Operate: true,
			Why: "Its folder " + line.Path + " is gone from the repository. What runs was left running.", Action: "Remove, keep volumes", ActionHref: line.Href + "/folder/remove"}
		if p.Kind == repositories.KindJob {
			n.Kind, n.Why, n.Action = "Job", "Its folder "+line.Path+" is gone from the repository, so it does not run.", "Remove"
		}
		if line.Moved {
			n.Why += " It seems to have been renamed to " + line.MovedTo + "."
			n.Action, n.ActionHref, n.Post = "Decide", repositoryHref(p.Repository), false
		}
		needs = append(needs, n)
	}
	return needs
}

// RemoveGoneStack takes down a stack whose folder is gone; its volumes stay.
func RemoveGoneStack(desk StackDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		gone, err := desk.Delete(r.Context(), stackIn(r), true, false, endpoint.Principal(r.Context()))
		switch {
		case err != nil:
			return err
		case gone:
			return seeOther(w, r, saying("/stacks", "stack-gone"))
		}
		return seeOther(w, r, saying(stackHref(stackIn(r)), "stack-going"))
	})
}

// MoveGoneStack has a stack follow the folder that its own was renamed to.
func MoveGoneStack(desk StackUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		path := form.Get("path")
		if _, err := desk.Update(r.Context(), stackIn(r), stacks.Change{Path: &path}, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(stackHref(stackIn(r)), "folder-followed"))
	})
}

// RemoveGoneJob removes a job whose folder is gone.
func RemoveGoneJob(desk JobDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := desk.Delete(r.Context(), core.JobID(r.PathValue("id")), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying("/jobs", "job-gone"))
	})
}

// MoveGoneJob has a job follow the folder that its own was renamed to.
func MoveGoneJob(desk JobUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		id, path := core.JobID(r.PathValue("id")), form.Get("path")
		if _, err := desk.Update(r.Context(), id, jobs.Change{Path: &path}, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(jobHref(id), "folder-followed"))
	})
}

type repositoryFollowPage struct {
	Name, Href string
	Trouble    string
	What       choice
	Folders    input
	Existing   tick
	Remove     tick
	Worker     workerPick
	Tags       input
	Sync       tick
}

var repositoryFollowView = newView[repositoryFollowPage]("repository_follow.html")

// RepositoryFollow shows how a repository is followed.
func RepositoryFollow(finder RepositoryFinder, workers WorkerDirectory) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		f := known.Following
		if !f.On() {
			f.AutoSync = true
		}
		page, err := newFollowPage(r, known, workers, f)
		if err != nil {
			return err
		}
		return writeFollow(w, r, http.StatusOK, page)
	})
}

// FollowRepository saves how a repository is followed.
func FollowRepository(desk RepositoryEditor, workers WorkerDirectory) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		known, err := desk.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		f := followingOf(form)
		worker, err := pickedWorker(r.Context(), workers, "follow.worker_id", form.Get("follow.worker_id"))
		if err == nil {
			_, err = desk.Update(r.Context(), known.ID, repositories.Change{Following: &repositories.FollowingChange{What: &f.What, Folders: &f.Folders, Existing: &f.Existing, Remove: &f.Remove,
				Worker: &worker, WorkerTags: &f.WorkerTags, AutoSync: &f.AutoSync}}, endpoint.Principal(r.Context()))
		}
		if err == nil {
			return seeOther(w, r, saying(repositoryHref(known.ID), "repository-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.CodeOf(err) == "repository.not_found" {
			return err
		}
		page, err := newFollowPage(r, known, workers, f)
		if err != nil {
			return err
		}
		page.Tags.Value = exact(form.Get(page.Tags.Name)) // as it was typed
		page.What.Problem = c.about(page.What.Name)
		page.Worker.refuse(&c)
		page.Trouble = c.on(&page.Folders, &page.Tags)
		return writeFollow(w, r, c.Status, page)
	})
}

func followingOf(form url.Values) repositories.Following {
	return repositories.Following{What: repositories.FollowWhat(form.Get("follow.what")), Folders: strings.TrimSpace(form.Get("follow.folders")), Existing: form.Has("existing"),
		Remove: form.Has("remove"), Worker: core.WorkerID(form.Get("follow.worker_id")), WorkerTags: words(form.Get("follow.worker_tags")), AutoSync: form.Has("auto_sync")}
}

func newFollowPage(r *http.Request, known repositories.Repository, workers WorkerDirectory, f repositories.Following) (repositoryFollowPage, error) {
	form, err := newStackForm(r, workers, stackWords{worker: string(f.Worker), tags: strings.Join(f.WorkerTags, ", "), sync: f.AutoSync})
	if err != nil {
		return repositoryFollowPage{}, err
	}
	form.Tags.Name = "follow.worker_tags"
	return repositoryFollowPage{Name: known.Name, Href: repositoryHref(known.ID), Worker: form.Worker.rename("follow.worker_id"), Tags: form.Tags, Sync: form.Sync,
		What: choice{Name: "follow.what", Label: "New folders", Hint: "A folder counts when it holds a Compose file or a wireops.yaml, or a job.yaml.", Options: []option{
			{exact(repositories.FollowOff), "Are added by hand", !f.On()},
			{exact(repositories.FollowStacks), "Become stacks", f.What == repositories.FollowStacks},
			{exact(repositories.FollowAll), "Become stacks and jobs", f.What == repositories.FollowAll}}},
		Folders: input{Name: "follow.folders", Label: "Only folders that fit", Kind: "text", Complete: "off", Mono: true, Value: exact(f.Folders), Optional: true, Sample: "apps/*",
			Hint: "* stands for one name, ** for any number of them. Empty: all folders."},
		Existing: tick{Name: "existing", Label: "Add the folders that are there already, too", On: f.Existing,
			Hint: "Otherwise only those that come from now on."},
		Remove: tick{Name: "remove", Label: "Remove by itself what lost its folder", On: f.Remove,
			Hint: "Containers and networks go, volumes stay. Never when history was rewritten, a folder seems to be renamed, or nothing would be left: then, and always without this, it is proposed here and a person decides."},
	}, nil
}

func writeFollow(w http.ResponseWriter, r *http.Request, status int, page repositoryFollowPage) error {
	f := newFrame(r, inRepositories, "Follow "+page.Name, crumb{"Repositories", "/repositories"}, crumb{page.Name, page.Href})
	f.Problem = status != http.StatusOK
	return repositoryFollowView.write(w, r, status, f, page)
}
