package render

import (
	"context"
	"path"
	"strings"

	"berth/core"
	"berth/core/fault"
)

// inRepository turns a path from a Compose file into one of the repository; a path
// that leaves it is refused.
func (r *rendering) inRepository(p string) (string, error) { return r.repositoryPath(r.src.Dir, p) }

// repositoryPath is inRepository for a path that begins at a folder of the repository.
func (r *rendering) repositoryPath(dir, p string) (string, error) {
	switch {
	case p == "":
		return "", invalid("An empty path in the Compose files.")
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"):
		return "", escapes("%q is not relative: only files of the repository can be read.", p)
	case strings.Contains(p, "://"):
		return "", escapes("%q is remote: only files of the repository can be read.", p)
	case strings.ContainsAny(p, "\\\x00\n"), len(p) > maxPath:
		return "", unsupported("%q is not a path that can be read: it is too long, or holds a backslash or a newline.", p)
	}
	joined := path.Join(dir, p)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", escapes("%q leaves the repository.", p)
	}
	return joined, nil
}

// repository answers what a path of the commit is.
type repository struct {
	tree  core.Tree
	known map[string]found // by path; services often mount the same
}

type pathKind int

const (
	nothing pathKind = iota
	regularFile
	folder
)

// found is what a path turned out to be.
type found struct {
	kind    pathKind
	entry   core.TreeEntry   // of a regular file
	members []core.TreeEntry // of a folder
}

// find looks a path up. Symbolic links and submodules are refused, as the path itself
// and on the way to it.
func (repo *repository) find(ctx context.Context, p string) (found, error) {
	if f, ok := repo.known[p]; ok {
		return f, nil
	}
	f, err := repo.ask(ctx, p)
	if err == nil {
		repo.known[p] = f
	}
	return f, err
}

func (repo *repository) ask(ctx context.Context, p string) (found, error) {
	hashes, err := repo.tree.Hashes(ctx, lineage(p))
	if err != nil {
		return found{}, err
	}
	if p != "." && hashes[p] == "" {
		return found{}, repo.checkParent(ctx, p, hashes)
	}
	members, err := repo.tree.List(ctx, p)
	if isFolder(p, members, err) {
		return found{kind: folder, members: members}, listFault(p, err)
	}
	if err != nil && !saysNoFolder(err) {
		return found{}, err
	}
	return repo.findFile(ctx, p)
}

// isFolder reads the answer of Tree.List, which for a file is either an error or the file itself.
func isFolder(p string, members []core.TreeEntry, err error) bool {
	if err != nil {
		return fault.KindOf(err) == fault.TooLarge
	}
	return len(members) > 0 && members[0].Path != p
}

// saysNoFolder reports whether List failed because of what the path is.
func saysNoFolder(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid)
}

func listFault(p string, err error) error {
	if err == nil {
		return nil
	}
	return tooLarge("The folder %s holds too many files to be mounted.", p)
}

// findFile finds out the mode of something that is no folder: only its folder's list tells.
func (repo *repository) findFile(ctx context.Context, p string) (found, error) {
	dir := path.Dir(p)
	siblings, err := repo.tree.List(ctx, dir)
	if fault.Is(err, fault.TooLarge) {
		return repo.probeFile(ctx, p)
	}
	if err != nil {
		return found{}, err
	}
	for _, e := range siblings {
		if e.Path != p {
			continue
		}
		if e.Mode == core.ModeFile || e.Mode == core.ModeExecutable {
			return found{kind: regularFile, entry: e}, nil
		}
		break
	}
	return found{}, escapes("%s is a symbolic link or submodule; only regular files and folders can be used.", p)
}

// probeFile is for a file in a folder that is too large to be listed. Whether it is
// executable cannot be known then.
func (repo *repository) probeFile(ctx context.Context, p string) (found, error) {
	data, err := repo.tree.Read(ctx, p, maxContentBytes)
	if fault.Is(err, fault.Invalid) {
		return found{}, escapes("%s is a symbolic link or submodule; only regular files and folders can be used.", p)
	}
	return found{kind: regularFile, entry: core.TreeEntry{Path: p, Size: int64(len(data))}}, err
}

// checkParent makes sure that an absent path is not below something that is no folder,
// where a symbolic link would lead elsewhere.
func (repo *repository) checkParent(ctx context.Context, p string, hashes map[string]string) error {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if hashes[dir] == "" {
			continue
		}
		members, err := repo.tree.List(ctx, dir)
		switch {
		case isFolder(dir, members, err):
			return nil
		case err != nil && !saysNoFolder(err):
			return err
		}
		return escapes("%s: %s is a symbolic link or file, not a folder.", p, dir)
	}
	return nil
}

// lineage returns a path and the folders that it is in, without the root.
func lineage(p string) []string {
	var all []string
	for ; p != "."; p = path.Dir(p) {
		all = append(all, p)
	}
	return all
}
