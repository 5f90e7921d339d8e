package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

const environmentTime = 30 * time.Second

// Environment says what a stack's folder makes of its variables, as it was fetched last. What is wrong with
// the folder is part of the answer. It stores and decrypts nothing, and asks no Git host unless the copy lacks that commit.
func (h *Hub) Environment(ctx context.Context, id core.StackID) (stacks.Environment, error) {
	bounded, cancel := context.WithTimeout(ctx, environmentTime)
	defer cancel()
	stack, err := h.opts.Store.Stack(ctx, id)
	if err != nil {
		return stacks.Environment{}, err
	}
	r := &rendering{h: h, stack: stack}
	e := stacks.Environment{Provided: []string{}, Missing: []string{}, Uses: map[string][]string{}}
	err = r.environment(bounded, &e)
	err = errors.Join(err, r.close())
	switch {
	case err == nil:
	case bounded.Err() != nil && ctx.Err() == nil:
		return e, fault.New(fault.Unavailable, "server.busy", "The stack's folder was not read within %s. Try again.", environmentTime).After(10 * time.Second)
	case fault.Is(err, fault.Internal):
		return e, err
	default:
		e.Problem = fault.PublicOf(err)
	}
	return e, nil
}

func (r *rendering) environment(ctx context.Context, e *stacks.Environment) error {
	if err := r.openFetched(ctx); err != nil {
		return err
	}
	e.Commit = r.src.commit
	if err := r.read(ctx); err != nil {
		return err
	}
	if r.over.content != nil {
		e.File, e.Provided = r.over.file, slices.Sorted(slices.Values(r.over.names))
	}
	if r.over.broken != nil {
		return r.over.broken // what is rendered without its names would miss them
	}
	err := r.compose(ctx, func(string, []byte) error { return nil })
	e.Missing = append(e.Missing, r.project.Missing...) // also those without which it cannot be rendered
	if err != nil {
		return err
	}
	for _, s := range r.project.Services {
		for _, name := range s.Variables {
			e.Uses[name] = append(e.Uses[name], s.Name)
		}
	}
	return nil
}

// openFetched opens the commit of the stack's branch that was fetched last.
func (r *rendering) openFetched(ctx context.Context) error {
	repository, err := r.h.opts.Store.Repository(ctx, r.stack.Repository)
	if err != nil {
		return err
	}
	if repository.Head == "" {
		return fault.New(fault.Conflict, "repository.not_fetched", "The repository was not fetched yet. Sync it, or wait for the next look.")
	}
	src, err := r.h.opts.Sources.Source(ctx, repository)
	if err != nil {
		return err
	}
	tree, opened, err := r.h.tree(ctx, src, core.GitHead{Commit: repository.Head, Ref: repository.Ref})
	if err != nil {
		return err
	}
	r.repository, r.src = repository.Name, source{tree: watch(tree, r.stack.Path), commit: opened.Commit, version: versionOf(repository, opened)}
	return nil
}
