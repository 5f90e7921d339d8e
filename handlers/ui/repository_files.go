package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// FileShower shows a folder or text file of what was fetched of a repository; see repositories.Browser.
type FileShower interface {
	Show(ctx context.Context, r repositories.Repository, commit core.Commit, path string) (repositories.Shown, error)
}

type filesPage struct {
	Name, Href string // of the repository
	Commit     string // short
	HostHref   string // of the commit at the Git host; empty: unknown
	Newest     bool
	NewestHref string
	Path       string // empty: the root
	Trail      []nameLink
	Trouble    string // why it is not shown
	Folder     bool
	Entries    []fileLine
	Truncated  bool
	Lines      []string // of a file
}

// fileLine is one member of a folder.
type fileLine struct {
	Name   string
	Href   string // empty: it is a link, which is not followed
	Folder bool
	Size   string
}

var filesView = newView[filesPage]("repository_files.html")

// RepositoryFiles shows what is at ?path= of commit ?ref=, or of the newest commit. Text is shown as it is: nothing in it is
// drawn, run or followed.
func RepositoryFiles(finder RepositoryFinder, shower FileShower) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := finder.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
		if err != nil {
			return err
		}
		ref, at := core.Commit(r.URL.Query().Get("ref")), r.URL.Query().Get("path")
		shown, err := shower.Show(r.Context(), known, ref, at)
		if err != nil && !expected(err) {
			return err
		}
		if fault.Is(err, fault.NotFound) || fault.CodeOf(err) == "repository.bad_commit" || fault.CodeOf(err) == "git.path" {
			return err
		}
		page := filesPageOf(known, ref, at, shown)
		if err != nil {
			page.Trouble = sentence(fault.PublicOf(err))
		}
		f := newFrame(r, inRepositories, "Files of "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, page.Href})
		return filesView.write(w, r, http.StatusOK, f, page)
	})
}

func filesPageOf(known repositories.Repository, ref core.Commit, at string, shown repositories.Shown) filesPage {
	commit := known.Head
	if ref != "" {
		commit = ref
	}
	page := filesPage{Name: known.Name, Href: repositoryHref(known.ID), Commit: commit.Short(), HostHref: repositories.CommitPage(known.URL, commit),
		Newest: commit == known.Head, NewestHref: filesHref(known.ID, "", at), Path: shown.Path, Folder: shown.Folder, Truncated: shown.Truncated}
	page.Trail = trailOf(known, ref, at)
	for _, e := range shown.Entries {
		line := fileLine{Name: e.Name, Folder: e.Folder, Size: sizeWords(e.Size)}
		if !e.Link {
			line.Href = filesHref(known.ID, ref, path.Join(at, e.Name))
		}
		page.Entries = append(page.Entries, line)
	}
	if !shown.Folder && shown.Content != "" {
		page.Lines = strings.Split(strings.TrimSuffix(shown.Content, "\n"), "\n")
	}
	return page
}

// trailOf links the folders that lead to a path; the last is the path itself.
func trailOf(known repositories.Repository, ref core.Commit, at string) []nameLink {
	trail := []nameLink{{known.Name, filesHref(known.ID, ref, "")}}
	if at == "" || at == "." {
		return trail
	}
	parts := strings.Split(at, "/")
	for i, part := range parts {
		trail = append(trail, nameLink{part, filesHref(known.ID, ref, strings.Join(parts[:i+1], "/"))})
	}
	return trail
}

// filesHref leads to a path of a commit; of the newest when ref is empty.
func filesHref(id core.RepositoryID, ref core.Commit, at string) string {
	query := url.Values{}
	if ref != "" {
		query.Set("ref", string(ref))
	}
	if at != "" && at != "." {
		query.Set("path", at)
	}
	return withQuery(repositoryHref(id)+"/files", query)
}

// sizeWords is a file's size for people.
func sizeWords(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
