package git

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// Limits of what one commit may hold for us.
const (
	maxFolder  = 16 << 20 // bytes of a tree object: some 300,000 entries in one folder
	maxCommit  = 1 << 20  // bytes of a commit object
	maxCached  = 200_000  // entries of folders that a tree remembers
	maxEntries = 100_000  // files that List returns
)

// tree implements core.Tree for a commit in a mirror. It may be used by several
// goroutines, one of which reads at a time.
type tree struct {
	mirror *mirror
	commit core.Commit
	root   string // hash of the tree object

	mu      sync.Mutex
	objects batch             // guarded by mu
	closed  bool              // guarded by mu
	folders map[string]folder // by hash; guarded by mu
	cached  int               // entries in folders; guarded by mu
}

// Tree implements core.GitRemote. It holds a git process until it is closed.
func (r *Remote) Tree(ctx context.Context, repository core.RepositoryID, commit core.Commit) (core.Tree, error) {
	m, err := r.mirror(repository)
	if err != nil {
		return nil, err
	}
	if !hexHash.MatchString(string(commit)) || !m.present() {
		return nil, commitMissing(commit, nil)
	}
	t := &tree{mirror: m, commit: commit, objects: batch{git: r.git, dir: m.dir}, folders: map[string]folder{}}
	if err := t.open(ctx); err != nil {
		t.objects.end()
		return nil, err
	}
	return t, nil
}

func commitMissing(commit core.Commit, cause error) error {
	shown := strings.ToValidUTF8(commit.Short(), "?")
	return fault.New(fault.NotFound, "git.commit_missing",
		"Commit %q is not in the mirror; sync the repository. It may have been rewritten by a force-push.", shown).Because(cause)
}

// open finds the commit's root folder.
func (t *tree) open(ctx context.Context) error {
	found, err := t.objects.get(ctx, string(t.commit), maxCommit)
	switch {
	case errors.Is(err, errAbsent):
		t.mirror.suspect(t.commit)
		return commitMissing(t.commit, err)
	case err != nil:
		return t.trouble(ctx, err)
	case found.kind != "commit":
		return commitMissing(t.commit, nil)
	}
	line, _, _ := bytes.Cut(found.body, []byte{'\n'})
	root, ok := strings.CutPrefix(string(line), "tree ")
	if !ok || !hexHash.MatchString(root) {
		return t.trouble(ctx, errMalformedTree)
	}
	t.root = root
	return nil
}

// Hashes implements core.Tree. Each folder on the way is read once.
func (t *tree) Hashes(ctx context.Context, paths []string) (map[string]string, error) {
	for _, path := range paths {
		if err := repositories.ValidPath(path); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	hashes := make(map[string]string, len(paths))
	for _, path := range paths {
		found, err := t.find(ctx, path)
		if err != nil && !errors.Is(err, errNoPath) {
			return nil, err
		}
		hashes[path] = found.hash
	}
	return hashes, nil
}

// Read implements core.Tree.
func (t *tree) Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	if err := repositories.ValidPath(path); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found, err := t.find(ctx, path)
	switch {
	case errors.Is(err, errNoPath) && found.kind == isOther, err == nil && found.kind != isFile:
		return nil, notAFile(path)
	case errors.Is(err, errNoPath):
		return nil, fault.New(fault.NotFound, "git.path_missing", "There is no file %q in commit %s.", path, t.commit.Short())
	case err != nil:
		return nil, err
	}
	blob, err := t.objects.get(ctx, found.hash, limit)
	switch {
	case errors.Is(err, errBig):
		return nil, fault.New(fault.TooLarge, "git.file_too_large",
			"The file %q has %s; at most %s are read.", path, size(blob.size), size(limit))
	case err != nil:
		return nil, t.trouble(ctx, err)
	}
	return blob.body, nil
}

func notAFile(path string) error {
	return fault.New(fault.Invalid, "git.not_a_file",
		"%q is a folder, a symbolic link or a submodule, or lies behind one; only regular files are read and links are not followed.", path)
}

// Close implements core.Tree. Closing twice is no error.
func (t *tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.objects.end()
	return nil
}

// trouble is the fault for an object that could not be read.
func (t *tree) trouble(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return givenUp(ctx.Err())
	}
	return t.mirror.trouble(err)
}
