package repositories

import (
	"context"
	"path"
	"slices"
	"strings"

	"berth/core"
)

// maxFound bounds what Discover returns.
const maxFound = 1000

// Kind is what a folder of a repository could be deployed as.
type Kind string

// The kinds of what is found.
const (
	KindStack Kind = "stack"
	KindJob   Kind = "job"
)

// marks are the files that make a folder worth offering, and as what.
var marks = map[string]Kind{
	"wireops.yaml": KindStack, "wireops.yml": KindStack,
	"compose.yaml": KindStack, "compose.yml": KindStack, "docker-compose.yaml": KindStack, "docker-compose.yml": KindStack,
	"job.yaml": KindJob,
}

// Marks reports what a file of this name makes of its folder; false when nothing.
func Marks(name string) (Kind, bool) {
	kind, found := marks[name]
	return kind, found
}

// Discovery is what a repository's head holds.
type Discovery struct {
	Commit    core.Commit
	Found     []Found // by path, then kind
	Truncated bool    // there is more than is listed
}

// Found is a folder that could be a stack or a job.
type Found struct {
	Path  string // "" is the root
	Kind  Kind
	Files []string // the names that tell, in order
}

// Discover finds every folder of the repository's head that holds a manifest, a Compose
// file or a job file. Symbolic links do not count.
func (b Browser) Discover(ctx context.Context, r Repository) (Discovery, error) {
	tree, commit, err := b.open(ctx, r, "")
	if err != nil {
		return Discovery{}, err
	}
	defer tree.Close()
	files, err := tree.List(ctx, "")
	if err != nil {
		return Discovery{}, err
	}
	found := Offers(files)
	return Discovery{Commit: commit, Found: found[:min(len(found), maxFound)], Truncated: len(found) > maxFound}, nil
}

// Offers finds the folders among files that could be a stack or a job, by path, then kind.
func Offers(files []core.TreeEntry) []Found {
	type place struct {
		folder string
		kind   Kind
	}
	names := map[place][]string{}
	for _, file := range files {
		folder, name := path.Split(file.Path)
		kind, tells := Marks(name)
		if tells && (file.Mode == core.ModeFile || file.Mode == core.ModeExecutable) {
			at := place{strings.TrimSuffix(folder, "/"), kind}
			names[at] = append(names[at], name)
		}
	}
	found := make([]Found, 0, len(names))
	for at, files := range names {
		slices.Sort(files)
		found = append(found, Found{Path: at.folder, Kind: at.kind, Files: files})
	}
	slices.SortFunc(found, func(a, b Found) int {
		if order := strings.Compare(a.Path, b.Path); order != 0 {
			return order
		}
		return -strings.Compare(string(a.Kind), string(b.Kind)) // stacks before jobs
	})
	return found
}
