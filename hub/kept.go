package hub

import (
	"context"
	"fmt"

	"berth/core/fault"
	"berth/core/stacks"
)

// A deployment that aims at a kept revision puts that in place with its files and its manifest,
// and with the values that its secrets have today. Nothing is fetched and nothing is rendered.

// recall finds the revision: the one that is aimed at or, for a stack that moves, the one that
// is in place.
func (w *work) recall(ctx context.Context) (string, error) {
	number := w.d.Aim.Revision
	if number == 0 {
		number = w.stack.Revision
	}
	if number == 0 {
		return "", fault.New(fault.Conflict, "stack.not_deployed", "The stack has no revision that could be put in place. Sync it first.")
	}
	rev, err := w.h.opts.Store.Revision(ctx, w.stack.ID, number)
	if err != nil {
		return "", err
	}
	compose, err := w.h.opts.Files.Compose(w.stack.ID, number)
	if err != nil {
		return "", err
	}
	if w.over, err = w.h.keptOverlay(rev); err != nil {
		return "", err
	}
	w.kept, w.manifest, w.src.commit = rev, rev.Manifest, rev.Commit
	w.project.YAML, w.project.Services, w.project.Content = compose, rev.Services, rev.Content
	w.h.recorder.know(w.d.ID, func(p *stacks.Progress) { p.Commit = rev.Commit })
	return fmt.Sprintf("files of revision %d, commit %s", number, rev.Commit.Short()), nil
}

// asKept says why a phase has nothing to do.
func (w *work) asKept(context.Context) (string, error) {
	return fmt.Sprintf("as in revision %d", w.kept.Number), nil
}
