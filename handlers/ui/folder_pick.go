package ui

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// folderPick is the part of a page on which a folder of a repository becomes something: first which repository, then which
// of its folders. What is made of that stands below it in a form.
type folderPick struct {
	Page           string // address: "/stacks/new"
	None           bool   // there is no repository to choose from
	Choose         choice // first step; without options: it is done
	Repository     string // name of the chosen one
	RepositoryID   string
	RepositoryHref string
	Folders        []folderLine
	Reading        bool   // the repository was not read yet
	NotFound       string // why its folders are not known
}

// folderLine is a folder that can be taken with one click.
type folderLine struct {
	Path, Href, Files string
	Folder            exact // Path as the repository has it
	Current           bool
	Added             []nameLink // what is made of it already
	Taken             bool       // nothing more can be
}

// folderSource is where folders come from.
type folderSource struct {
	Repositories RepositoryLister
	Browser      Discoverer
}

// choose is the first step; only is the repository when there is one alone, so that there is little to choose.
func (s folderSource) choose(ctx context.Context, page string) (p folderPick, only core.RepositoryID, err error) {
	list, err := s.Repositories.Repositories(ctx, core.Page{Limit: core.MaxPage})
	if err != nil {
		return p, "", err
	}
	if len(list.Items) == 1 {
		only = list.Items[0].ID
	}
	p = folderPick{Page: page, None: len(list.Items) == 0, Choose: choice{Name: "repository", Label: "Repository"}}
	for _, known := range list.Items {
		p.Choose.Options = append(p.Choose.Options, option{exact(known.ID), known.Name, false})
	}
	return p, only, nil
}

// pick is the second step: it offers what is found in a repository. That its folders are not known keeps nobody from naming one.
func (s folderSource) pick(ctx context.Context, page string, id core.RepositoryID, line func(repositories.Found) (folderLine, bool)) (folderPick, error) {
	repository, err := s.Repositories.Repository(ctx, id)
	if err != nil {
		return folderPick{}, err
	}
	p := folderPick{Page: page, Repository: repository.Name, RepositoryID: string(id), RepositoryHref: repositoryHref(id)}
	found, err := s.Browser.Discover(ctx, repository)
	if err != nil {
		p.NotFound, p.Reading = fault.PublicOf(err), repository.Head == "" && repository.Error == ""
		if !expected(err) {
			return folderPick{}, err
		}
	}
	for _, f := range found.Found {
		if l, fits := line(f); fits {
			l.Path, l.Href, l.Folder = folderName(f.Path), pickHref(page, id, f.Path), exact(f.Path)
			p.Folders = append(p.Folders, l)
		}
	}
	return p, nil
}

// pickHref is where a folder of a repository is taken.
func pickHref(page string, id core.RepositoryID, path string) string {
	return withQuery(page, url.Values{"repository": {string(id)}, "path": {path}})
}

// AllTaken reports whether nothing more can be made of any of the folders.
func (p folderPick) AllTaken() bool {
	return !slices.ContainsFunc(p.Folders, func(f folderLine) bool { return !f.Taken })
}

// only is the folder that there is no choice about; empty when there are several, or it was made something of.
func (p folderPick) only() string {
	if len(p.Folders) != 1 || len(p.Folders[0].Added) > 0 {
		return ""
	}
	return p.Folders[0].Href
}

// following has the page look again until the repository was read. Without script it has a button for that instead of
// loading by itself, which would take away what is being typed.
func (p folderPick) following(f frame) frame {
	if p.Reading {
		f = f.following(true)
	}
	return f
}

// folderPicking is what the address says of a pick that is under way.
type folderPicking struct {
	repository core.RepositoryID
	typed      bool // the rest of the query is what stands in the form below
}

// folderChosen reports whether a folder was chosen, or typed into a form that was sent and refused: an address without one
// chose none, not the root.
func folderChosen(r *http.Request) bool {
	return r.Method == http.MethodPost || r.URL.Query().Has("path")
}

// pickingIn reads an address: with a folder of its own, as links have it, or with all of the form, as the folders that are
// offered send it.
func pickingIn(q url.Values) folderPicking {
	p := folderPicking{repository: core.RepositoryID(q.Get("repository")), typed: q.Has("folder") || q.Has("again")}
	if p.typed {
		p.repository = core.RepositoryID(q.Get("repository_id"))
	}
	return p
}

// taken puts a folder that was clicked in the place of the one that was typed, and its name in the place of the one that was
// proposed for that.
func taken(q url.Values, path, name *string, propose func(folder string) string) {
	if !q.Has("folder") {
		return
	}
	if *name == propose(*path) {
		*name = ""
	}
	*path = q.Get("folder")
	if *name == "" {
		*name = propose(*path)
	}
}

// expected reports whether err is something to tell people on the page, and no defect.
func expected(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Conflict || kind == fault.Unavailable || kind == fault.NotFound || kind == fault.Invalid || kind == fault.TooLarge
}
