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
	Pick   folderPick
	Form   jobForm
	Sample copyable // a job.yaml to begin with
}

var jobNewView = newView[jobNewPage]("job_new.html")

// newJobAt is the page that adds a job.
const newJobAt = "/jobs/new"

// FollowedLister lists all that is made of a repository's folders already, by name.
type FollowedLister interface {
	StackBriefs(ctx context.Context, id core.RepositoryID) ([]stacks.Brief, error)
	JobBriefs(ctx context.Context, id core.RepositoryID) ([]jobs.Brief, error)
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
		at := pickingIn(query)
		if at.repository == "" {
			return d.chooseRepository(w, r)
		}
		typed := jobWords{path: query.Get("path")}
		if at.typed {
			typed = jobWordsOf(query)
		}
		page, err := d.page(r, at.repository, typed)
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
	query := r.URL.Query()
	chosen, current := folderChosen(r), typed.path
	if query.Has("folder") {
		current = query.Get("folder")
	}
	added, err := d.added(r.Context(), id)
	if err != nil {
		return jobNewPage{}, err
	}
	pick, err := folderSource{d.Repositories, d.Browser}.pick(r.Context(), newJobAt, id, func(f repositories.Found) (folderLine, bool) {
		return folderLine{Files: jobs.File, Current: chosen && f.Path == current, Added: added[f.Path], Taken: len(added[f.Path]) > 0}, f.Kind == repositories.KindJob
	})
	propose := func(folder string) string { return jobs.ProposeName(folder, pick.Repository) }
	taken(query, &typed.path, &typed.name, propose)
	if chosen && typed.name == "" && !query.Has("again") {
		typed.name = propose(typed.path)
	}
	return jobNewPage{Pick: pick, Form: newJobForm(typed), Sample: copyable{"job-sample", "Example of a job.yaml", firstJob}}, err
}

// added finds the jobs of a repository by their folders.
func (d NewJobDeps) added(ctx context.Context, id core.RepositoryID) (map[string][]nameLink, error) {
	all := map[string][]nameLink{}
	found, err := d.Store.JobBriefs(ctx, id)
	for _, j := range found {
		all[j.Path] = append(all[j.Path], nameLink{j.Name, jobHref(j.ID)})
	}
	return all, err
}

// addJobHref is where a folder of a repository becomes a job.
func addJobHref(id core.RepositoryID, path string) string { return pickHref(newJobAt, id, path) }

func writeNewJob(w http.ResponseWriter, r *http.Request, status int, page jobNewPage) error {
	f := newFrame(r, inJobs, "Add a job", crumb{"Jobs", "/jobs"})
	f.Problem = status != http.StatusOK
	return jobNewView.write(w, r, status, page.Pick.following(f), page)
}
