package repositories

import (
	"context"

	"berth/core"
	"berth/core/fault"
)

// Finder finds one repository. NotFound "repository.not_found".
type Finder interface {
	Repository(ctx context.Context, id core.RepositoryID) (Repository, error)
}

// Shower shows what is at a path of what was fetched, as Browser does.
type Shower interface {
	Show(ctx context.Context, r Repository, commit core.Commit, name string) (Shown, error)
}

// Folders tells whether folders are there, before something is built on them.
type Folders struct {
	finder Finder
	shower Shower
}

// NewFolders returns a Folders on what was fetched.
func NewFolders(finder Finder, shower Shower) Folders { return Folders{finder, shower} }

// Lacks returns the head of a repository when that has no folder of this path. It is empty when the
// folder is there, and when nobody can tell: nothing was fetched yet, or it cannot be read now.
func (f Folders) Lacks(ctx context.Context, id core.RepositoryID, path string) core.Commit {
	r, err := f.finder.Repository(ctx, id)
	if err != nil || r.Head == "" || path == "" {
		return ""
	}
	shown, err := f.shower.Show(ctx, r, r.Head, path)
	switch {
	case fault.CodeOf(err) == "git.path_missing", fault.CodeOf(err) == "git.not_a_file":
		return r.Head
	case fault.CodeOf(err) == "repository.not_text", fault.CodeOf(err) == "git.file_too_large": // a file, then
		return r.Head
	case err == nil && !shown.Folder:
		return r.Head
	}
	return ""
}
