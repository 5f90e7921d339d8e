// Package sourcediff compares what two revisions of a stack were made of, as it was in Git at both commits: the files in the stack's
// folder, the Compose files that its manifest names, and those that they include from elsewhere.
//
// It must not know how commits are read (core/repositories does). Start with Comparer.Compare.
package sourcediff

import (
	"context"
	"path"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
)

// MaxFiles is how many files are compared.
const MaxFiles = 50

// Change is a file that differs.
type Change struct {
	Path   string // in the repository
	Before bool   // it was there
	After  bool   // it is there
	Diff   string // lines as in a patch, or in parentheses why they are not shown
}

// Stacks reads stacks and their revisions. NotFound "stack.not_found", "revision.not_found".
type Stacks interface {
	Stack(ctx context.Context, id core.StackID) (stacks.Stack, error)
	Revision(ctx context.Context, stack core.StackID, number int) (stacks.Revision, error)
}

// Comparer compares the source of revisions. Its fields are set once.
type Comparer struct {
	stacks Stacks
	finder repositories.Finder
	shower repositories.Shower
}

// New returns a Comparer.
func New(stacks Stacks, finder repositories.Finder, shower repositories.Shower) Comparer {
	return Comparer{stacks, finder, shower}
}

// Compare lists by path how the files of a revision differ from those of another one; what is no text, or too large, at both
// commits is left out. truncated says that there were more than are compared. NotFound "git.commit_missing" when a commit is not in what was fetched any more.
func (c Comparer) Compare(ctx context.Context, stack core.StackID, number, with int) (changes []Change, truncated bool, err error) {
	s, err := c.stacks.Stack(ctx, stack)
	if err != nil {
		return nil, false, err
	}
	after, err := c.stacks.Revision(ctx, stack, number)
	if err != nil {
		return nil, false, err
	}
	before, err := c.stacks.Revision(ctx, stack, with)
	if err != nil {
		return nil, false, err
	}
	r, err := c.finder.Repository(ctx, s.Repository)
	if err != nil || before.Commit == after.Commit {
		return nil, false, err
	}
	var names []string
	for _, revision := range []stacks.Revision{before, after} {
		some, err := c.names(ctx, r, s.Path, revision)
		if err != nil {
			return nil, false, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	truncated = len(names) > MaxFiles
	for _, name := range names[:min(len(names), MaxFiles)] {
		change, differs, err := c.file(ctx, r, before.Commit, after.Commit, name)
		if err != nil {
			return nil, false, err
		}
		if differs {
			changes = append(changes, change)
		}
	}
	return changes, truncated, nil
}

// names are the files that a revision was made of.
func (c Comparer) names(ctx context.Context, r repositories.Repository, folder string, revision stacks.Revision) ([]string, error) {
	names := slices.Clone(revision.Watch)
	for _, file := range revision.Manifest.Files {
		if name := path.Join(folder, file); name != ".." && !path.IsAbs(file) && len(name) > 0 && (len(name) < 3 || name[:3] != "../") {
			names = append(names, name)
		}
	}
	shown, err := c.shower.Show(ctx, r, revision.Commit, folder)
	if err != nil && !gone(err) {
		return nil, err
	}
	for _, entry := range shown.Entries {
		if !entry.Folder && !entry.Link {
			names = append(names, path.Join(folder, entry.Name))
		}
	}
	return names, nil
}

// gone reports whether a path was not in a commit, or is no file there.
func gone(err error) bool {
	return fault.CodeOf(err) == "git.path_missing" || fault.CodeOf(err) == "git.not_a_file"
}

// text is a file at a commit.
type text struct {
	there   bool
	content string
	hidden  string // why the content is not known; empty: it is
}

func (c Comparer) read(ctx context.Context, r repositories.Repository, commit core.Commit, name string) (text, error) {
	shown, err := c.shower.Show(ctx, r, commit, name)
	switch {
	case gone(err), err == nil && shown.Folder:
		return text{}, nil
	case fault.CodeOf(err) == "repository.not_text":
		return text{there: true, hidden: "(it is no text file)"}, nil
	case fault.CodeOf(err) == "git.file_too_large":
		return text{there: true, hidden: "(it is too large to be shown)"}, nil
	}
	return text{there: err == nil, content: shown.Content}, err
}

func (c Comparer) file(ctx context.Context, r repositories.Repository, before, after core.Commit, name string) (change Change, differs bool, err error) {
	was, err := c.read(ctx, r, before, name)
	if err != nil {
		return change, false, err
	}
	is, err := c.read(ctx, r, after, name)
	if err != nil || was == is {
		return change, false, err
	}
	change = Change{Path: name, Before: was.there, After: is.there}
	switch {
	case was.hidden != "":
		change.Diff = was.hidden
	case is.hidden != "":
		change.Diff = is.hidden
	case path.Base(name) == repositories.SecretsFile:
		change.Diff = "(it has changed; secrets files are not shown)"
	default:
		change.Diff = stacks.LineDiff(was.content, is.content)
	}
	return change, true, nil
}
