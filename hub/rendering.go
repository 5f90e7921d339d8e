package hub

import (
	"context"
	"errors"

	"berth/core"
	"berth/core/lint"
	"berth/core/secrets"
	"berth/core/stacks"
)

// rendering is what the head of a stack's branch makes of its folder, on its way to a
// revision. The steps are taken in order: open, read, compose, resolve. Nothing is stored by
// them, except what compose's caller keeps of the content. The tree is open until close.
type rendering struct {
	h     *Hub
	stack stacks.Stack

	// Set by open.
	repository string // name
	src        source
	// Set by read.
	manifest stacks.Manifest
	file     string  // that the manifest was read from; empty: there is none, the defaults hold
	over     overlay // of the head; of a kept revision, resolve reads it
	// Set by compose.
	project  core.ComposeProject
	findings []lint.Finding // set by check
	content  planContent    // of rendered alone: what of its files is small enough to be compared by line
	// Set by resolve.
	variables []stacks.Fingerprint
	values    map[string]secrets.Value
}

// rendered takes the steps up to compose and stores none of the content. The caller closes the result,
// and resolves its secrets when it needs them.
func (h *Hub) rendered(ctx context.Context, stack stacks.Stack) (*rendering, error) {
	r := &rendering{h: h, stack: stack}
	err := r.open(ctx)
	if err == nil {
		err = r.read(ctx)
	}
	if err == nil {
		err = r.check(ctx)
	}
	if err == nil {
		r.content = planContent{}
		err = r.compose(ctx, r.content.keep)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// open opens the newest commit of the stack's branch.
func (r *rendering) open(ctx context.Context) error {
	repository, err := r.h.opts.Store.Repository(ctx, r.stack.Repository)
	if err != nil {
		return err
	}
	src, err := r.h.opts.Sources.Source(ctx, repository)
	if err != nil {
		return err
	}
	head, err := r.h.opts.Git.Head(ctx, src)
	if err != nil {
		return err
	}
	tree, opened, err := r.h.tree(ctx, src, head)
	if err != nil {
		return err
	}
	r.repository, r.src = repository.Name, source{tree: watch(tree, r.stack.Path), commit: opened.Commit, version: versionOf(repository, opened)}
	return nil
}

// close closes the tree, if one was opened.
func (r *rendering) close() error {
	if r.src.tree == nil {
		return nil
	}
	return r.src.tree.Close()
}

// read reads the manifest and the secrets file, which stays encrypted, and checks that there is something to deploy.
func (r *rendering) read(ctx context.Context) error {
	err := folderExists(ctx, r.src, r.stack.Path)
	if err == nil {
		r.manifest, r.file, err = r.h.manifest(ctx, r.src.tree, r.stack.Path)
	}
	if err == nil {
		r.over, err = r.h.headOverlay(ctx, r.src.tree, r.stack.Path)
	}
	return err
}

// compose makes the project. keep is given the repository content that it mounts.
func (r *rendering) compose(ctx context.Context, keep func(digest string, content []byte) error) error {
	variables, err := r.h.opts.Variables.ForRendering(ctx, r.stack.ID)
	if err != nil {
		return err
	}
	r.project, err = r.h.opts.Compose.Read(ctx, core.ComposeSource{
		Project: r.stack.ProjectName(), Dir: r.stack.Path, Files: r.manifest.Files, Profiles: r.manifest.Profiles,
		Tree: r.src.tree, Variables: r.over.over(variables),
	}, keep)
	return err
}

// resolve is the gate: every secret that reaches a compose service must have a value now.
func (r *rendering) resolve(ctx context.Context) error {
	laid, err := r.h.laidOver(ctx, r.stack.Repository, r.over)
	if err != nil {
		return err
	}
	names := secretNames(r.project.Services)
	values, err := r.h.valuesOf(ctx, r.stack.ID, laid, names)
	if err != nil {
		return err
	}
	r.values, r.variables = values, r.h.fingerprints(names, values)
	return nil
}

// fingerprints are those of the named values, in the order of the names.
func (h *Hub) fingerprints(names []string, values map[string]secrets.Value) (all []stacks.Fingerprint) {
	for _, name := range names {
		all = append(all, stacks.Fingerprint{Name: name, Fingerprint: h.opts.Variables.Fingerprint(name, values[name])})
	}
	return all
}

// digest is that of what was rendered.
func (r *rendering) digest() string {
	return stacks.RevisionDigest(r.project, r.manifest, r.variables, r.over.digest())
}

// revision returns what was rendered as a row without number.
func (r *rendering) revision(ctx context.Context) (stacks.Revision, error) {
	rev := stacks.Revision{Stack: r.stack.ID, Commit: r.src.commit, Manifest: r.manifest, Services: r.project.Services,
		Content: r.project.Content, Variables: r.variables, SecretsFile: r.over.digest(), Watch: r.src.tree.paths()}
	rev.Digest = r.digest()
	var err error
	rev.Tree, err = sightOf(ctx, r.src, r.stack.Path, rev.Watch)
	return rev, err
}
