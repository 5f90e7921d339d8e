package ui

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/lint"
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
	Steps    []pathStep
	NoWorker bool // there is none that could run it
	Pick     folderPick
	Form     stackForm
	Looked   bool          // the folder's files were looked at
	Errors   []findingLine // that would stop its first deployment
	Advice   []findingLine
	Unknown  string // why nobody looked
}

// newStackAt is the page that adds a stack.
const newStackAt = "/stacks/new"

var stackNewView = newView[stackNewPage]("stack_new.html")

// NewStackDeps are the ports of the two handlers that add a stack.
type NewStackDeps struct {
	Repositories RepositoryLister
	Browser      Discoverer
	Store        FollowedLister
	Workers      WorkerDirectory
	Desk         StackCreator
	Linter       Linter
}

// Linter says what is wrong with the Compose files of a folder.
type Linter interface {
	Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error)
}

// NewStack asks for a repository and, once that is chosen, for the stack.
func NewStack(d NewStackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query := r.URL.Query()
		at := pickingIn(query)
		if at.repository == "" {
			return chooseRepository(w, r, d)
		}
		typed := stackWords{path: query.Get("path"), name: nameFrom(query.Get("path")), sync: true}
		if at.typed {
			typed = wordsOf(query)
			taken(query, &typed.path, &typed.name, nameFrom)
		}
		page, err := newStackPage(r, d, at.repository, typed)
		if err != nil {
			return err
		}
		if only := page.Pick.only(); only != "" && !query.Has("path") {
			return seeOther(w, r, only)
		}
		return writeNewStack(w, r, http.StatusOK, page)
	})
}

// CreateStack adds the stack and goes on to its review or, where that was not asked for, to watch its first deployment.
func CreateStack(d NewStackDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		ask := wordsOf(form)
		worker, err := pickedWorker(r.Context(), d.Workers, "worker_id", ask.worker)
		if err != nil {
			return refuseStack(w, r, d, err, core.RepositoryID(form.Get("repository_id")), ask)
		}
		review := form.Has("review") // what is to be looked at first is deployed by nobody meanwhile
		stack, first, err := d.Desk.Create(r.Context(), stacks.Draft{Name: ask.name, Repository: core.RepositoryID(form.Get("repository_id")), Path: ask.path,
			Worker: worker, WorkerTags: words(ask.tags), AutoSync: ask.sync && !review}, endpoint.Principal(r.Context()))
		if err != nil {
			return refuseStack(w, r, d, err, core.RepositoryID(form.Get("repository_id")), ask)
		}
		if review {
			return seeOther(w, r, reviewHref(stack.ID, ask.sync))
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
	pick, only, err := folderSource{d.Repositories, d.Browser}.choose(r.Context(), newStackAt)
	if err != nil {
		return err
	}
	if only != "" && !r.URL.Query().Has("repository") {
		return seeOther(w, r, withQuery(newStackAt, url.Values{"repository": {string(only)}}))
	}
	return writeNewStack(w, r, http.StatusOK, stackNewPage{Pick: pick})
}

func writeNewStack(w http.ResponseWriter, r *http.Request, status int, page stackNewPage) error {
	page.Steps = pathBefore(page.Pick.Repository != "")
	f := newFrame(r, inStacks, "Add a stack", crumb{"Stacks", "/stacks"})
	f.Problem = status != http.StatusOK
	return stackNewView.write(w, r, status, page.Pick.following(f), page)
}

func newStackPage(r *http.Request, d NewStackDeps, id core.RepositoryID, typed stackWords) (page stackNewPage, err error) {
	added, err := d.added(r.Context(), id)
	if err != nil {
		return page, err
	}
	page.Pick, err = folderSource{d.Repositories, d.Browser}.pick(r.Context(), newStackAt, id, func(f repositories.Found) (folderLine, bool) {
		return folderLine{Files: strings.Join(f.Files, ", "), Current: f.Path == typed.path && folderChosen(r), Added: added[f.Path]}, f.Kind == repositories.KindStack
	})
	if err != nil {
		return page, err
	}
	if page.Form, err = newStackForm(r, d.Workers, typed); err != nil {
		return page, err
	}
	page.NoWorker = page.Form.Worker.Empty()
	return page, page.review(r.Context(), d.Linter, id, typed.path)
}

// review says what is wrong with the files of the folder that was chosen, before a stack is made of it.
func (p *stackNewPage) review(ctx context.Context, linter Linter, id core.RepositoryID, folder string) error {
	if !slices.ContainsFunc(p.Pick.Folders, func(f folderLine) bool { return f.Path == folderName(folder) || f.Path == folder }) {
		return nil // none was chosen, or it is to come
	}
	found, err := linter.Lint(ctx, lint.Ask{Repository: id, Path: folder})
	switch {
	case fault.Is(err, fault.Internal):
		return err
	case err != nil:
		p.Unknown = fault.PublicOf(err)
		return nil
	}
	p.Looked = true
	for _, f := range found {
		line := findingLines([]lint.Finding{f})
		if f.Severity == lint.Error {
			p.Errors = append(p.Errors, line...)
		} else {
			p.Advice = append(p.Advice, line...)
		}
	}
	return nil
}

// added finds the stacks of a repository by their folders. A folder may be several.
func (d NewStackDeps) added(ctx context.Context, id core.RepositoryID) (map[string][]nameLink, error) {
	all := map[string][]nameLink{}
	found, err := d.Store.StackBriefs(ctx, id)
	for _, s := range found {
		all[s.Path] = append(all[s.Path], nameLink{s.Name, stackHref(s.ID)})
	}
	return all, err
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
