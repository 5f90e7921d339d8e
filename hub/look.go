package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/repositories"
	"berth/core/stacks"
)

// look starts whatever is to be done now. It reads little when nothing is: two short
// queries, and once in a while the list of repositories.
func (h *Hub) look(ctx context.Context) {
	self, lead := ctx, ctx
	if h.opts.Peers != nil {
		self, lead = h.members.now()
	}
	switch {
	case self == nil:
		return // until this hub is a member again
	case lead != nil:
		h.lookAtRepositories(lead)
		h.lookAtDeployments(lead)
	default:
		h.passCancelsOn(self)
	}
	h.passRunCancelsOn(self)
	h.lookAtCommands(self)
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
			h.polls.start(ctx, id, func(ctx context.Context) { h.safely(id, func() { h.forgetMirror(ctx, id) }) })
		}
	}
	if !h.opts.Store.Room() {
		return // what a fetch brings would take the room that is kept for what is under way
	}
	for _, i := range h.schedule.dueNow(now) {
		r := h.schedule.known[i]
		if r.AskedAt.IsZero() && h.defects.aside(r.ID, now) {
			h.schedule.looked(r.ID, now)
			continue
		}
		host := hostOf(r.URL)
		if !h.hosts.enter(host) {
			continue
		}
		look := func(ctx context.Context) {
			var err error
			defer func() { h.hosts.leave(host, err) }()
			h.attempt(r.ID, func() { err = h.poll(ctx, r) }, func() { h.setAside(ctx, r) })
		}
		if !h.polls.start(ctx, r.ID, look) {
			h.hosts.leave(host, nil)
			continue
		}
		h.schedule.looked(r.ID, now)
		h.schedule.known[i].AskedAt = time.Time{}
	}
}

func (h *Hub) forgetMirror(ctx context.Context, id core.RepositoryID) {
	h.report("the mirror of a deleted repository stays on disk", h.opts.Git.Forget(ctx, id), "repository", id)
}

// lookAtDeployments moves on what is open, and queues what is due.
func (h *Hub) lookAtDeployments(ctx context.Context) {
	if _, err := h.opts.Store.QueueRetries(ctx); err != nil {
		h.report("what failed cannot be queued again", err)
	}
	if _, err := h.opts.Store.QueueHeals(ctx); err != nil {
		h.report("repairs of what has drifted cannot be queued", err)
	}
	open, known := h.open(ctx)
	if !known {
		return
	}
	running := map[core.StackID]bool{}
	for _, d := range open {
		running[d.Stack] = running[d.Stack] || d.State == stacks.DeploymentRunning
	}
	for _, d := range open {
		if d.State == stacks.DeploymentRunning || !running[d.Stack] { // one after the other
			h.safely(d.ID, func() { h.lookAtDeployment(ctx, d) })
		}
	}
	h.recorder.keepOpen(open)
}

// passCancelsOn is what a hub does that does not prepare deployments: it tells its own workers what
// was cancelled.
func (h *Hub) passCancelsOn(ctx context.Context) {
	open, known := h.open(ctx)
	if !known {
		return
	}
	for _, d := range open {
		if d.Cancelling && d.State == stacks.DeploymentRunning {
			h.safely(d.ID, func() { h.tellCancelled(ctx, d) })
		}
	}
	h.recorder.keepOpen(open)
}

// open returns the open deployments that can be read; false: nothing is known.
func (h *Hub) open(ctx context.Context) ([]stacks.Deployment, bool) {
	open, err := h.opts.Store.OpenDeployments(ctx)
	if h.unreadable.tell(err, h.opts.Now()) {
		h.report("open deployments cannot be read", err)
	}
	return open, err == nil || unreadable(err)
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
	h.pipelines.start(ctx, d.ID, func(ctx context.Context) {
		h.attempt(d.ID, func() { h.deploy(ctx, d) }, func() {
			h.end(ctx, stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, ErrorCode: "deployment.defect",
				Error: "A defect in this program stopped the deployment three times. The server's log has the details."})
		})
	})
}

func (h *Hub) lookAtCommands(ctx context.Context) {
	workers, err := h.opts.Store.WorkersWithQueuedCommands(ctx)
	if err != nil {
		h.report("queued commands cannot be read", err)
		return
	}
	for _, id := range workers {
		h.Wake(id)
	}
}

// setAside shows that a repository cannot be looked at because of a defect.
func (h *Hub) setAside(ctx context.Context, r repositories.Repository) {
	h.report("a failed look cannot be recorded", h.opts.Store.SetFetchError(ctx, r.ID, "repository.defect",
		"A defect in this program stopped the look at this repository three times. It is tried again every hour, and when somebody asks. The server's log has the details.", h.opts.Now()))
	h.clearAsked(ctx, r)
}

// Wake makes a worker's link look for commands, when it is held here. It never blocks.
func (h *Hub) Wake(id core.WorkerID) {
	if s := h.session(id); s != nil {
		s.wake()
	}
}

// session returns a worker's live session, or nil.
func (h *Hub) session(id core.WorkerID) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil && s.ready.Load() {
		return s
	}
	return nil
}
