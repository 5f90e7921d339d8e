package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// look starts whatever is to be done now. It reads little when nothing is: two short
// queries, and once in a while the list of repositories.
func (h *Hub) look(ctx context.Context) {
	h.lookAtRepositories(ctx)
	h.lookAtDeployments(ctx)
	h.lookAtCommands(ctx)
}

func (h *Hub) lookAtRepositories(ctx context.Context) {
	now := h.opts.Now()
	if h.schedule.stale(now) {
		all, err := h.opts.Store.Repositories(ctx)
		if err != nil {
			h.report("repositories cannot be read", err)
			return
		}
		for _, id := range h.schedule.know(all, now) {
			h.polls.start(ctx, id, func(ctx context.Context) {
				h.report("the mirror of a deleted repository stays on disk", h.opts.Git.Forget(ctx, id), "repository", id)
			})
		}
	}
	for i, r := range h.schedule.known {
		if !h.schedule.isDue(r, now) {
			continue
		}
		if h.polls.start(ctx, r.ID, func(ctx context.Context) { h.safely(r.ID, func() { h.poll(ctx, r) }) }) {
			h.schedule.looked(r.ID, now)
			h.schedule.known[i].AskedAt = time.Time{}
		}
	}
}

func (h *Hub) lookAtDeployments(ctx context.Context) {
	open, err := h.opts.Store.OpenDeployments(ctx)
	if err != nil {
		h.report("open deployments cannot be read", err)
		return
	}
	for _, d := range open {
		h.lookAtDeployment(ctx, d)
	}
}

// lookAtDeployment moves one open deployment on, unless it is being worked on. One that was
// running without a command when the hub stopped has touched nothing and begins anew.
func (h *Hub) lookAtDeployment(ctx context.Context, d stacks.Deployment) {
	if d.Cancelling && d.State == stacks.DeploymentRunning {
		h.stop(ctx, d)
		return
	}
	if d.State == stacks.DeploymentRunning && d.Revision > 0 {
		return // its worker has the word
	}
	if h.parked(d.ID) {
		return
	}
	h.pipelines.start(ctx, d.ID, func(ctx context.Context) { h.safely(d.ID, func() { h.deploy(ctx, d) }) })
}

func (h *Hub) lookAtCommands(ctx context.Context) {
	workers, err := h.opts.Store.WorkersWithQueuedCommands(ctx)
	if err != nil {
		h.report("queued commands cannot be read", err)
		return
	}
	for _, id := range workers {
		if s := h.session(id); s != nil {
			s.wake()
		}
	}
}

// safely keeps one bad item from stopping the others.
func (h *Hub) safely(item any, fn func()) {
	defer func() {
		if problem := recover(); problem != nil {
			h.log.Error("a defect stopped work on one item; the others go on", "item", item, "panic", problem)
		}
	}()
	fn()
}

// session returns a worker's live session, or nil.
func (h *Hub) session(id core.WorkerID) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}
