package ui

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// RepositoryLister lists repositories by name.
type RepositoryLister interface {
	RepositoryFinder
	Repositories(ctx context.Context, p core.Page) (core.List[repositories.Repository], error)
}

// Discoverer finds what a repository holds that could be deployed; Conflict
// "repository.not_fetched" before the first fetch.
type Discoverer interface {
	Discover(ctx context.Context, r repositories.Repository) (repositories.Discovery, error)
}

// StackCreator adds stacks; see stacks.Desk.
type StackCreator interface {
	Create(ctx context.Context, draft stacks.Draft, by access.Principal) (stacks.Stack, stacks.Deployment, error)
}

// stackNewPage has two steps: which repository, then everything else.
type stackNewPage struct {
	None           bool   // there is no repository to choose from
	Choose         choice // first step; without options: it is done
	Repository     string // name of the chosen one
	RepositoryID   string
	RepositoryHref string
	Folders        []folderLine
	Reading        bool   // the repository was not read yet
	NotFound       string // why its folders are not known
	Form           stackForm
}

// folderLine is a folder that can be taken with one click.
type folderLine struct {
	Path, Href, Files string
	Current           bool
}

var stackNewView = newView[stackNewPage]("stack_new.html")

// NewStackDeps are the ports of the two handlers that add a stack.
type NewStackDeps struct {
	Repositories RepositoryLister
	Browser      Discoverer
	Workers      WorkerLister
	Desk         StackCreator
}

// NewStack asks for a repository and, once that is chosen, for the stack.
func NewStack(d NewStackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		if query.Get("repository") == "" {
			return chooseRepository(w, r, d)
		}
		typed := stackWords{path: query.Get("path"), sync: true}
		typed.name = nameFrom(typed.path)
		page, err := newStackPage(r, d, core.RepositoryID(query.Get("repository")), typed)
		if err != nil {
			return err
		}
		if len(page.Folders) == 1 && !query.Has("path") {
			return seeOther(w, r, page.Folders[0].Href)
		}
		return writeNewStack(w, r, http.StatusOK, page)
	})
}

// CreateStack adds the stack and goes to watch its first deployment.
func CreateStack(d NewStackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		ask := wordsOf(form)
		stack, first, err := d.Desk.Create(r.Context(), stacks.Draft{Name: ask.name, Repository: core.RepositoryID(form.Get("repository_id")), Path: ask.path,
			Worker: core.WorkerID(ask.worker), WorkerTags: words(ask.tags), AutoSync: ask.sync}, endpoint.Principal(r.Context()))
		if err != nil {
			return refuseStack(w, r, d, err, core.RepositoryID(form.Get("repository_id")), ask)
		}
		if first.ID != "" {
			return seeOther(w, r, deploymentHref(first.ID))
		}
		return seeOther(w, r, saying(stackHref(stack.ID), "stack-added"))
	})
}

func refuseStack(w http.ResponseWriter, r *http.Request, d NewStackDeps, why error, repository core.RepositoryID, typed stackWords) error {
	c, ours := complain(r, why)
	if !ours || repository == "" {
		return why
	}
	page, err := newStackPage(r, d, repository, typed)
	if err != nil {
		return err
	}
	page.Form.refuse(c)
	if fault.CodeOf(why) == "stack.name_taken" {
		page.Form.Name.Problem, page.Form.Name.Focus, page.Form.Trouble = page.Form.Trouble, true, ""
	}
	return writeNewStack(w, r, c.Status, page)
}

func chooseRepository(w http.ResponseWriter, r *http.Request, d NewStackDeps) error {
	list, err := d.Repositories.Repositories(r.Context(), core.Page{Limit: core.MaxPage})
	if err != nil {
		return err
	}
	if len(list.Items) == 1 {
		return seeOther(w, r, withQuery("/stacks/new", url.Values{"repository": {string(list.Items[0].ID)}}))
	}
	page := stackNewPage{None: len(list.Items) == 0, Choose: choice{Name: "repository", Label: "Repository"}}
	for _, known := range list.Items {
		page.Choose.Options = append(page.Choose.Options, option{exact(known.ID), known.Name, false})
	}
	return writeNewStack(w, r, http.StatusOK, page)
}

func writeNewStack(w http.ResponseWriter, r *http.Request, status int, page stackNewPage) error {
	f := newFrame(r, inStacks, "Add a stack", crumb{"Stacks", "/stacks"})
	f.Problem = status != http.StatusOK
	if page.Reading {
		f = f.following(true)
		f.Reload = 3
	}
	return stackNewView.write(w, r, status, f, page)
}

func newStackPage(r *http.Request, d NewStackDeps, id core.RepositoryID, typed stackWords) (stackNewPage, error) {
	repository, err := d.Repositories.Repository(r.Context(), id)
	if err != nil {
		return stackNewPage{}, err
	}
	page := stackNewPage{Repository: repository.Name, RepositoryID: string(id), RepositoryHref: "/repositories/" + string(id)}
	found, err := d.Browser.Discover(r.Context(), repository)
	switch {
	case err != nil && !expected(err):
		return stackNewPage{}, err
	case err != nil:
		page.NotFound = fault.PublicOf(err)
		page.Reading = repository.Head == "" && repository.Error == ""
	}
	for _, f := range found.Found {
		if f.Kind == repositories.KindStack {
			page.Folders = append(page.Folders, folderLine{Path: folderName(f.Path), Files: strings.Join(f.Files, ", "), Current: f.Path == typed.path && r.URL.Query().Has("path"),
				Href: withQuery("/stacks/new", url.Values{"repository": {string(id)}, "path": {f.Path}})})
		}
	}
	page.Form, err = newStackForm(r, d.Workers, typed)
	return page, err
}

// expected reports whether err is something to tell people on the page, and no defect.
func expected(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Conflict || kind == fault.Unavailable || kind == fault.NotFound || kind == fault.Invalid || kind == fault.TooLarge
}

var notInNames = regexp.MustCompile(`[^a-z0-9_-]+`)

// nameFrom proposes a stack's name for a folder; empty when there is nothing to make one from.
func nameFrom(folder string) string {
	if folder == "" {
		return ""
	}
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(path.Base(folder)), "-"), "-_")
	return name[:min(len(name), 63)]
}
