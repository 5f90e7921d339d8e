package ui

import (
	"context"
	"net/http"
	"net/url"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// JobCreator adds jobs; see jobs.Desk.
type JobCreator interface {
	Create(ctx context.Context, draft jobs.Draft, by access.Principal) (jobs.Job, error)
}

// jobNewPage has two steps: which repository, then everything else.
type jobNewPage struct {
	Pick folderPick
	Form jobForm
}

var jobNewView = newView[jobNewPage]("job_new.html")

// newJobAt is the page that adds a job.
const newJobAt = "/jobs/new"

// FollowedLister lists what is made of a repository's folders already.
type FollowedLister interface {
	Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error)
	Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error)
}

// NewJobDeps are the ports of the two handlers that add a job.
type NewJobDeps struct {
	Repositories RepositoryLister
	Browser      Discoverer
	Store        FollowedLister
	Desk         JobCreator
}

// NewJob asks for a repository and, once that is chosen, for the job.
func NewJob(d NewJobDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		if query.Get("repository") == "" {
			return d.chooseRepository(w, r)
		}
		page, err := d.page(r, core.RepositoryID(query.Get("repository")), jobWords{path: query.Get("path")})
		if err != nil {
			return err
		}
		if only := page.Pick.only(); only != "" && !query.Has("path") {
			return seeOther(w, r, only)
		}
		return writeNewJob(w, r, http.StatusOK, page)
	})
}

// CreateJob adds the job and goes to its page, where it shows up once it was read.
func CreateJob(d NewJobDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		ask, repository := jobWordsOf(form), core.RepositoryID(form.Get("repository_id"))
		j, err := d.Desk.Create(r.Context(), jobs.Draft{Name: ask.name, Repository: repository, Path: ask.path}, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(jobHref(j.ID), "job-added"))
		}
		c, ours := complain(r, err)
		if !ours || repository == "" {
			return err
		}
		page, err2 := d.page(r, repository, ask)
		if err2 != nil {
			return err2
		}
		page.Form.refuse(c, fault.CodeOf(err))
		return writeNewJob(w, r, c.Status, page)
	})
}

func (d NewJobDeps) chooseRepository(w http.ResponseWriter, r *http.Request) error {
	pick, only, err := folderSource{d.Repositories, d.Browser}.choose(r.Context(), newJobAt)
	if err != nil {
		return err
	}
	if only != "" {
		return seeOther(w, r, withQuery(newJobAt, url.Values{"repository": {string(only)}}))
	}
	return writeNewJob(w, r, http.StatusOK, jobNewPage{Pick: pick})
}

func (d NewJobDeps) page(r *http.Request, id core.RepositoryID, typed jobWords) (jobNewPage, error) {
	chosen, current := r.URL.Query().Has("path"), typed.path
	added, err := d.added(r.Context(), id)
	if err != nil {
		return jobNewPage{}, err
	}
	pick, err := folderSource{d.Repositories, d.Browser}.pick(r.Context(), newJobAt, id, func(f repositories.Found) (folderLine, bool) {
		return folderLine{Files: jobs.File, Current: chosen && f.Path == current, Added: added[f.Path], Taken: len(added[f.Path]) > 0}, f.Kind == repositories.KindJob
	})
	if chosen && typed.name == "" {
		typed.name = jobs.ProposeName(typed.path, pick.Repository)
	}
	return jobNewPage{Pick: pick, Form: newJobForm(typed)}, err
}

// added finds the jobs of a repository by their folders.
func (d NewJobDeps) added(ctx context.Context, id core.RepositoryID) (map[string][]nameLink, error) {
	all := map[string][]nameLink{}
	_, _, err := find(func(ask core.Page) (core.List[jobs.Job], error) {
		return d.Store.Jobs(ctx, jobs.Filter{Repository: id}, ask)
	}, func(j jobs.Job) bool {
		all[j.Path] = append(all[j.Path], nameLink{j.Name, jobHref(j.ID)})
		return false
	})
	return all, err
}

// addJobHref is where a folder of a repository becomes a job.
func addJobHref(id core.RepositoryID, path string) string { return pickHref(newJobAt, id, path) }

func writeNewJob(w http.ResponseWriter, r *http.Request, status int, page jobNewPage) error {
	f := newFrame(r, inJobs, "Add a job", crumb{"Jobs", "/jobs"})
	f.Problem = status != http.StatusOK
	return jobNewView.write(w, r, status, page.Pick.following(f), page)
}
