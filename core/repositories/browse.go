package repositories

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
)

// Limits of what is shown of a repository.
const (
	MaxShownFile  = 256 << 10 // bytes
	maxShownNames = 5000      // members of one folder
)

// Mirror is the part of core.GitRemote that reads what was fetched.
type Mirror interface {
	Tree(ctx context.Context, repository core.RepositoryID, commit core.Commit) (core.Tree, error)
	Commits(ctx context.Context, repository core.RepositoryID, commit core.Commit, limit int) ([]core.CommitSummary, error)
}

// Browser shows what was fetched of a repository. It asks no Git host. All its methods
// return Conflict "repository.not_fetched" before the first fetch, and the faults of
// core.GitRemote.Tree and core.Tree.
type Browser struct{ mirror Mirror }

// NewBrowser returns a Browser on mirrors that can be read from this very process.
func NewBrowser(mirror Mirror) Browser { return Browser{mirror} }

// Shown is a folder or a text file of a repository.
type Shown struct {
	Path      string // "" is the root
	Commit    core.Commit
	Folder    bool
	Entries   []Entry // of a folder: folders first, then by name
	Truncated bool    // the folder has more than is shown
	Content   string  // of a file
}

// Entry is one member of a folder.
type Entry struct {
	Name   string
	Folder bool
	Link   bool  // a symbolic link or submodule: it is not followed
	Size   int64 // bytes; 0 for folders
}

// Commits lists at most limit commits that lead to the repository's head, newest first.
func (b Browser) Commits(ctx context.Context, r Repository, limit int) ([]core.CommitSummary, error) {
	if err := fetched(r); err != nil {
		return nil, err
	}
	return b.mirror.Commits(ctx, r.ID, r.Head, limit)
}

// Show returns what is at a path of a commit; an empty commit is the repository's head.
// Invalid "git.path", "repository.bad_commit", "repository.not_text"; TooLarge
// "git.file_too_large" above MaxShownFile.
func (b Browser) Show(ctx context.Context, r Repository, commit core.Commit, name string) (Shown, error) {
	if name == "." {
		name = ""
	}
	tree, commit, err := b.open(ctx, r, commit)
	if err != nil {
		return Shown{}, err
	}
	defer tree.Close()
	shown := Shown{Path: name, Commit: commit}
	notAFile := error(nil)
	if name != "" {
		content, err := tree.Read(ctx, name, MaxShownFile)
		if err == nil {
			shown.Content = string(content)
			return shown, checkText(name, content)
		}
		if fault.CodeOf(err) != "git.not_a_file" {
			return Shown{}, err
		}
		notAFile = err
	}
	below, err := tree.List(ctx, name)
	if notAFile != nil && fault.Is(err, fault.NotFound) {
		return Shown{}, notAFile // a symbolic link or submodule
	}
	if err != nil {
		return Shown{}, err
	}
	shown.Folder, shown.Entries = true, members(name, below)
	shown.Truncated = len(shown.Entries) > maxShownNames
	shown.Entries = shown.Entries[:min(len(shown.Entries), maxShownNames)]
	return shown, nil
}

var fullHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// open opens a commit's tree; the caller closes it.
func (b Browser) open(ctx context.Context, r Repository, commit core.Commit) (core.Tree, core.Commit, error) {
	if err := fetched(r); err != nil {
		return nil, "", err
	}
	if commit == "" {
		commit = r.Head
	}
	if !fullHash.MatchString(string(commit)) {
		return nil, "", fault.BadFields("repository.bad_commit", []fault.Field{{Path: "ref", Problem: "must be a full commit hash; leave it out for the head"}})
	}
	tree, err := b.mirror.Tree(ctx, r.ID, commit)
	return tree, commit, err
}

func fetched(r Repository) error {
	switch {
	case r.Head != "":
		return nil
	case r.Error != "":
		return fault.New(fault.Conflict, "repository.not_fetched", "The repository %q could not be fetched yet: %s", r.Name, r.Error)
	}
	return fault.New(fault.Conflict, "repository.not_fetched", "The repository %q was not fetched yet. Try again in a moment.", r.Name)
}

func checkText(name string, content []byte) error {
	if utf8.Valid(content) && !slices.Contains(content, 0) {
		return nil
	}
	return fault.New(fault.Invalid, "repository.not_text", "%q is no text file, so it is not shown.", name)
}

// members finds the direct members of a folder among all files below it.
func members(folder string, below []core.TreeEntry) []Entry {
	entries := []Entry{}
	seen := map[string]bool{}
	for _, file := range below {
		rest := file.Path
		if folder != "" {
			rest = strings.TrimPrefix(file.Path, folder+"/")
		}
		name, _, nested := strings.Cut(rest, "/")
		switch {
		case nested && !seen[name]:
			seen[name] = true
			entries = append(entries, Entry{Name: name, Folder: true})
		case !nested:
			entries = append(entries, Entry{Name: path.Base(file.Path), Size: file.Size,
				Link: file.Mode == core.ModeSymlink || file.Mode == core.ModeSubmodule})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		if a.Folder != b.Folder {
			if a.Folder {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return entries
}
