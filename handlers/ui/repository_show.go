package ui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryBrowser reads what was fetched of a repository; Conflict "repository.not_fetched"
// before the first fetch.
type RepositoryBrowser interface {
	Discoverer
	// Commits lists at most limit commits that lead to the head, newest first.
	Commits(ctx context.Context, r repositories.Repository, limit int) ([]core.CommitSummary, error)
}

// RepositoryUsers lists what follows a repository.
type RepositoryUsers interface {
	FolderTeller
	FollowedLister
}

const (
	shownCommits = 20
	shownEvents  = 10
	shownFolders = 100 // of stacks, and of jobs
	shownSharing = 10  // stacks of one folder
)

// RepositoryTeller finds a repository and what happened to it at its Git host.
type RepositoryTeller interface {
	RepositoryFinder
	Events(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[repositories.Event], error)
}

type repositoryPage struct {
	Line                   repositoryLine
	Key                    string // name of its key; empty: read without one
	Reading                bool
	HostTrust              bool // the trouble is about the keys of its SSH host
	Reconnect              bool // its key was made by connecting the Git host, which refuses it now
	CanMend                bool // the trouble is about address, branch or key: editing helps more than trying again
	Missing                string
	Stacks                 []foundLine
	Jobs                   []foundJob
	MoreStacks, MoreJobs   int // folders that are deployed, or run as jobs, and not among these
	StacksHref, JobsHref   string
	Truncated              bool
	Commits                []commitLine
	CommitsHref, FilesHref string
	MovedTo                string      // address that the Git host redirects to; empty: none
	Events                 []eventLine // newest first
	PublicKey              copyable    // for secrets files
	SealHref               string
	RotateHref             string
	Hook                   hookLine
	Follow                 followLine
	StatusTrouble          string // why the Git host could not be told of a deployment last; empty: it could
	StatusSince            moment
	EditHref               string
	DeleteHref             string
}

// hookLine is a repository's webhook in short.
type hookLine struct {
	Last    moment // delivery that asked for a look
	Stopped bool   // a commit was found that none told of
	Href    string
}

// foundLine is a folder that can be a stack, or is one.
type foundLine struct {
	Path    string
	Files   string
	AddHref string
	Stacks  []stackLine // that are deployed from it
	More    int         // stacks that are not listed
}

// foundJob is a folder that can be a job, or is one.
type foundJob struct {
	Path    string
	Gone    bool // its job.yaml is not in the newest commit
	AddHref string
	Name    string // of the job; empty: it is none yet
	Href    string
	Badge   badge
}

// eventLine is something that happened at the Git host.
type eventLine struct {
	Text string
	When moment
}

type commitLine struct {
	Short, Subject, Author string
	When                   moment
	Head                   bool
	FilesHref              string
	HostHref               string // at the Git host; empty: unknown
}

var repositoryView = newView[repositoryPage]("repository_show.html")

// Repository shows one repository: how reading it goes, what it holds, its commits.
func Repository(finder RepositoryTeller, browser RepositoryBrowser, users RepositoryUsers, keys CredentialDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		page := repositoryPage{Line: repositoryOf(known, now()), Reading: beingRead(known), HostTrust: strings.HasPrefix(known.ErrorCode, "git.host_key_"), CanMend: mendable(known.ErrorCode), StatusTrouble: known.StatusTrouble.Text, StatusSince: at(known.StatusTrouble.At, now()), MovedTo: known.MovedTo,
			PublicKey: ageKeyOf(known), SealHref: repositoryHref(known.ID) + "/secrets", RotateHref: repositoryHref(known.ID) + "/rotate-key",
			Hook:        hookLine{Last: at(known.HookedAt, now()), Stopped: known.Unannounced(), Href: repositoryHref(known.ID) + "/webhook"},
			CommitsHref: repositoryHref(known.ID) + "/commits", FilesHref: filesHref(known.ID, "", ""),
			StacksHref: withQuery("/stacks", url.Values{"repository": {string(known.ID)}}), JobsHref: withQuery("/jobs", url.Values{"repository": {string(known.ID)}}),
			EditHref: repositoryHref(known.ID) + "/settings", DeleteHref: repositoryHref(known.ID) + "/delete"}
		key, err := keyOf(r.Context(), keys, known.Credential)
		if err != nil {
			return err
		}
		page.Key, page.Reconnect = key.Name, key.Type == repositories.TypeOAuth && known.ErrorCode == "git.credential_refused"
		if err := page.look(r.Context(), browser, known, now()); err != nil {
			return err
		}
		if err := page.tell(r.Context(), finder, known.ID, now()); err != nil {
			return err
		}
		if err := page.match(r.Context(), users, known.ID); err != nil {
			return err
		}
		page.shorten()
		if err := page.follow(r.Context(), users, known, now()); err != nil {
			return err
		}
		f := newFrame(r, inRepositories, known.Name, crumb{"Repositories", "/repositories"})
		// What was fetched is read with git, so the page follows only while something comes in.
		if page.Reading {
			f = f.following(true)
			f.Reload = 3
		}
		return repositoryView.write(w, r, http.StatusOK, f, page)
	})
}

// mendable reports whether a trouble is about what was typed rather than about the network.
func mendable(code string) bool { return code != "" && code != "git.unreachable" }

// keyOf is a repository's key; one that cannot be found is named by its id.
func keyOf(ctx context.Context, keys CredentialDesk, id core.CredentialID) (repositories.Credential, error) {
	if id == "" {
		return repositories.Credential{}, nil
	}
	list := func(p core.Page) (core.List[repositories.Credential], error) { return keys.Credentials(ctx, p) }
	key, found, err := find(list, func(c repositories.Credential) bool { return c.ID == id })
	if !found {
		return repositories.Credential{ID: id, Name: string(id)}, err
	}
	return key, nil
}

// look reads what the head holds and the commits that lead there.
func (p *repositoryPage) look(ctx context.Context, browser RepositoryBrowser, known repositories.Repository, now time.Time) error {
	found, err := browser.Discover(ctx, known)
	if err != nil {
		p.Missing = fault.PublicOf(err)
		if expected(err) {
			return nil
		}
		return err
	}
	p.Truncated = found.Truncated
	for _, f := range found.Found {
		switch f.Kind {
		case repositories.KindJob:
			p.Jobs = append(p.Jobs, foundJob{Path: folderName(f.Path), AddHref: addJobHref(known.ID, f.Path)})
		case repositories.KindStack:
			p.Stacks = append(p.Stacks, foundLine{Path: folderName(f.Path), Files: strings.Join(f.Files, ", "),
				AddHref: withQuery("/stacks/new", url.Values{"repository": {string(known.ID)}, "path": {f.Path}})})
		}
	}
	commits, err := browser.Commits(ctx, known, shownCommits)
	p.Commits = commitLines(known, commits, now)
	return err
}

// tell reads what happened at the Git host.
func (p *repositoryPage) tell(ctx context.Context, teller RepositoryTeller, id core.RepositoryID, now time.Time) error {
	list, err := teller.Events(ctx, id, core.Page{Limit: shownEvents})
	for _, e := range list.Items {
		p.Events = append(p.Events, eventLine{Text: e.Text, When: at(e.At, now)})
	}
	return err
}

// match finds which folders are stacks or jobs already. Those whose folder is gone get a line too.
func (p *repositoryPage) match(ctx context.Context, users RepositoryUsers, id core.RepositoryID) error {
	if err := p.matchStacks(ctx, users, id); err != nil {
		return err
	}
	found, err := users.JobBriefs(ctx, id)
	for _, j := range found {
		i := slices.IndexFunc(p.Jobs, func(f foundJob) bool { return f.Path == folderName(j.Path) })
		if i < 0 {
			i = len(p.Jobs)
			p.Jobs = append(p.Jobs, foundJob{Path: folderName(j.Path), Gone: p.Missing == ""})
		}
		p.Jobs[i].Name, p.Jobs[i].Href, p.Jobs[i].Badge = j.Name, jobHref(j.ID), badgeOf(standingBadges, j.Standing)
	}
	return err
}

// shorten leaves what one page shows of a repository with many folders.
func (p *repositoryPage) shorten() {
	for i := range p.Stacks {
		line := &p.Stacks[i]
		listed := min(len(line.Stacks), shownSharing)
		line.Stacks, line.More = line.Stacks[:listed], len(line.Stacks)-listed
	}
	p.Stacks, p.MoreStacks = folders(p.Stacks, func(f foundLine) bool { return len(f.Stacks) == 0 })
	p.Jobs, p.MoreJobs = folders(p.Jobs, func(f foundJob) bool { return f.Name == "" })
}

// folders cuts what is listed of many: what could be added comes first, for all else has a list of its own.
func folders[T any](all []T, open func(T) bool) (shown []T, more int) {
	if len(all) <= shownFolders {
		return all, 0
	}
	slices.SortStableFunc(all, func(a, b T) int {
		switch open(a) {
		case open(b):
			return 0
		case true:
			return -1
		}
		return 1
	})
	return all[:shownFolders], len(all) - shownFolders
}

func (p *repositoryPage) matchStacks(ctx context.Context, lister RepositoryUsers, id core.RepositoryID) error {
	all, err := lister.StackBriefs(ctx, id)
	if err != nil {
		return err
	}
	byPath := map[string]int{}
	for i, line := range p.Stacks {
		byPath[line.Path] = i
	}
	for _, s := range all {
		i, found := byPath[folderName(s.Path)]
		if !found {
			i = len(p.Stacks)
			byPath[folderName(s.Path)] = i
			p.Stacks = append(p.Stacks, foundLine{Path: folderName(s.Path)})
		}
		p.Stacks[i].Stacks = append(p.Stacks[i].Stacks, stackLine{Name: s.Name, Href: stackHref(s.ID), Badge: briefBadge(s)})
	}
	return nil
}
