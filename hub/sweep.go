package hub

import (
	"context"
	"slices"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// sweepEvery is how often files are swept; a deployment that stores files and does not say for so
// long which revision needs them would lose them.
const sweepEvery = time.Hour

// sweepPage is how many revisions are read at once.
const sweepPage = 200

// sweep removes the files of revisions and the mirrors of repositories that are gone.
func (h *Hub) sweep(ctx context.Context) {
	removed, err := h.opts.Files.Sweep(ctx, func(keep func(stacks.KeptRevision)) error { return h.eachKept(ctx, keep) })
	h.report("files that no revision needs cannot be removed", err)
	if removed > 0 {
		h.log.Info("files that no revision needs were removed", "files", removed)
	}
	if h.opts.Mirrors != nil {
		h.report("mirrors of repositories that are gone cannot be removed", h.sweepMirrors(ctx))
	}
}

// eachKept tells every revision that is kept, reading a page at a time.
func (h *Hub) eachKept(ctx context.Context, keep func(stacks.KeptRevision)) error {
	stack, number := core.StackID(""), 0
	for {
		some, err := h.opts.Store.KeptRevisions(ctx, stack, number, sweepPage)
		if err != nil {
			return err
		}
		for _, r := range some {
			keep(r)
			if r.Illegible {
				h.log.Error("the database holds a revision that cannot be read: until that is put right, no file that it may need is removed", "stack", r.Stack, "revision", r.Number)
			}
			stack, number = r.Stack, r.Number
		}
		if len(some) < sweepPage {
			return h.eachConfig(ctx, keep)
		}
	}
}

// eachConfig tells the config files that jobs and open runs name.
func (h *Hub) eachConfig(ctx context.Context, keep func(stacks.KeptRevision)) error {
	err := h.opts.Store.JobContent(ctx, func(f jobs.ConfigFile) { keep(stacks.KeptRevision{Content: []core.Content{f.Content}}) })
	if !unreadable(err) {
		return err
	}
	keep(stacks.KeptRevision{Illegible: true})
	h.log.Error("the database holds a job or run that cannot be read: until that is put right, no content is removed", "error", err)
	return nil
}

// sweepMirrors removes the mirrors of repositories that were deleted while no server ran, or
// whose removal failed. They are listed first: a repository that is added meanwhile is not among them.
func (h *Hub) sweepMirrors(ctx context.Context) error {
	mirrors, err := h.opts.Mirrors.Mirrors()
	if err != nil || len(mirrors) == 0 {
		return err
	}
	all, err := h.opts.Store.Repositories(ctx)
	if err != nil {
		return err
	}
	for _, id := range mirrors {
		if !slices.ContainsFunc(all, func(r repositories.Repository) bool { return r.ID == id }) {
			h.forgetMirror(ctx, id)
		}
	}
	return nil
}
