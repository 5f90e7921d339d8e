package git

import (
	"context"
	"errors"
	"strings"

	"berth/core/fault"
)

// errNoPath says that a path leads nowhere. The entry that comes with it is what stood
// in the way, if something did.
var errNoPath = errors.New("no such path")

// find walks to a path. The caller holds mu.
func (t *tree) find(ctx context.Context, path string) (entry, error) {
	if t.closed {
		return entry{}, fault.New(fault.Internal, "git.tree_closed", "A commit's files were read after they had been closed.")
	}
	at := entry{kind: isFolder, hash: t.root}
	if path == "" || path == "." {
		return at, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if at.kind != isFolder {
			return entry{kind: at.kind}, errNoPath
		}
		here, err := t.folder(ctx, at.hash)
		if err != nil {
			return entry{}, err
		}
		next, found := here[name]
		if !found {
			return entry{}, errNoPath
		}
		at = next
	}
	return at, nil
}

// folder reads a tree object, or remembers it. The caller holds mu.
func (t *tree) folder(ctx context.Context, hash string) (folder, error) {
	if known, found := t.folders[hash]; found {
		return known, nil
	}
	raw, err := t.objects.get(ctx, hash, maxFolder)
	if errors.Is(err, errBig) {
		return nil, fault.New(fault.TooLarge, "git.too_large",
			"A folder in commit %s has too many entries (%s of names); split it up.", t.commit.Short(), size(raw.size))
	}
	if err == nil && raw.kind != "tree" {
		err = errMalformedTree
	}
	if err != nil {
		return nil, t.trouble(ctx, err)
	}
	read, err := parseFolder(raw.body, len(t.root)/2)
	if err != nil {
		return nil, t.trouble(ctx, err)
	}
	if t.cached += len(read); t.cached > maxCached {
		clear(t.folders)
		t.cached = len(read)
	}
	t.folders[hash] = read
	return read, nil
}
