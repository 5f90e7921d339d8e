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
	"berth/handlers/endpoint"
)

// JobCreator adds jobs; see jobs.Desk.
type JobCreator interface {
	Create(ctx context.Context, draft jobs.Draft, by access.Principal) (jobs.Job, error)
}

// jobNewPage has two steps: which repository, then everything else.
type jobNewPage struct {
	None           bool   // there is no repository to choose from
	Choose         choice // first step; without options: it is done
	Repository     string // name of the chosen one
	RepositoryID   string
	RepositoryHref string
	Folders        []folderLine
	Reading        bool   // the repository was not read yet
	NotFound       string // why its folders are not known
	Form           jobForm
}

var jobNewView = newView[jobNewPage]("job_new.html")

// NewJobDeps are the ports of the two handlers that add a job.
type NewJobDeps struct {
	Repositories RepositoryLister
	Browser      Discoverer
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
		if len(page.Folders) == 1 && !query.Has("path") {
			return seeOther(w, r, page.Folders[0].Href)
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
	list, err := d.Repositories.Repositories(r.Context(), core.Page{Limit: core.MaxPage})
	if err != nil {
		return err
	}
	if len(list.Items) == 1 {
		return seeOther(w, r, withQuery("/jobs/new", url.Values{"repository": {string(list.Items[0].ID)}}))
	}
	page := jobNewPage{None: len(list.Items) == 0, Choose: choice{Name: "repository", Label: "Repository"}}
	for _, known := range list.Items {
		page.Choose.Options = append(page.Choose.Options, option{exact(known.ID), known.Name, false})
	}
	return writeNewJob(w, r, http.StatusOK, page)
}

func (d NewJobDeps) page(r *http.Request, id core.RepositoryID, typed jobWords) (jobNewPage, error) {
	repository, err := d.Repositories.Repository(r.Context(), id)
	if err != nil {
		return jobNewPage{}, err
	}
	current, chosen := typed.path, r.URL.Query().Has("path")
	if chosen && typed.name == "" {
		typed.name = jobs.ProposeName(typed.path, repository.Name)
	}
	page := jobNewPage{Repository: repository.Name, RepositoryID: string(id), RepositoryHref: repositoryHref(id), Form: newJobForm(typed)}
	found, err := d.Browser.Discover(r.Context(), repository)
	if err != nil {
		page.NotFound, page.Reading = fault.PublicOf(err), repository.Head == "" && repository.Error == ""
		if !expected(err) {
			return jobNewPage{}, err
		}
	}
	for _, f := range found.Found {
		if f.Kind == repositories.KindJob {
			page.Folders = append(page.Folders, folderLine{Path: folderName(f.Path), Files: jobs.File, Current: chosen && f.Path == current, Href: addJobHref(id, f.Path)})
		}
	}
	return page, nil
}

// addJobHref is where a folder of a repository becomes a job.
func addJobHref(id core.RepositoryID, path string) string {
	return withQuery("/jobs/new", url.Values{"repository": {string(id)}, "path": {path}})
}

func writeNewJob(w http.ResponseWriter, r *http.Request, status int, page jobNewPage) error {
	f := newFrame(r, inJobs, "Add a job", crumb{"Jobs", "/jobs"})
	f.Problem = status != http.StatusOK
	if page.Reading {
		f = f.following(true)
		f.Reload = 3
	}
	return jobNewView.write(w, r, status, f, page)
}
