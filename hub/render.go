package hub

import (
	"context"
	"path"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// maxManifest bounds a manifest, in bytes.
const maxManifest = 64 << 10

// source is a stack's folder at a commit, opened.
type source struct {
	tree    *watchingTree
	commit  core.Commit
	version string // the tag that it was found under; empty: it is a branch's
}

// manifest reads the stack's wireops.yaml; without one the defaults hold.
func (h *Hub) manifest(ctx context.Context, tree core.Tree, folder string) (stacks.Manifest, string, error) {
	for _, name := range stacks.ManifestFiles {
		file := path.Join(folder, name)
		content, err := tree.Read(ctx, file, maxManifest)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return stacks.Manifest{}, "", err
		}
		doc, err := h.opts.Documents.ReadDocument(content)
		if err != nil {
			return stacks.Manifest{}, "", inFile(file, err)
		}
		m, err := stacks.ReadManifest(file, doc)
		return m, file, err
	}
	return stacks.DefaultManifest(), "", nil
}

// inFile names the file in an adapter's complaint about its content.
func inFile(file string, err error) error {
	return fault.New(fault.KindOf(err), fault.CodeOf(err), "%s: %s", file, fault.PublicOf(err)).Because(err)
}

// folderExists refuses a stack whose folder the commit does not have.
func folderExists(ctx context.Context, src source, folder string) error {
	if folder == "" {
		return nil
	}
	hashes, err := src.tree.Hashes(ctx, []string{folder})
	if err != nil {
		return err
	}
	if hashes[folder] == "" {
		return fault.New(fault.NotFound, "stack.folder_missing",
			"Commit %s has no folder %s. Check the stack's path and branch; what runs was left alone.", src.commit.Short(), folder)
	}
	return nil
}

// sightOf is the state of the stack's folder and of all that rendering read.
func sightOf(ctx context.Context, src source, folder string, watch []string) (string, error) {
	hashes, err := src.tree.Hashes(ctx, append([]string{folder}, watch...))
	if err != nil {
		return "", err
	}
	return treeDigest(hashes, folder, watch), nil
}
