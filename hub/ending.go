package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// giveUp ends a deployment that did not reach its worker. When the hub is stopping it is
// left as it is, to begin anew.
func (h *Hub) giveUp(ctx context.Context, d stacks.Deployment, err error) {
	if ctx.Err() != nil {
		current, readErr := h.opts.Store.Deployment(context.WithoutCancel(ctx), d.ID)
		if readErr != nil || !current.Cancelling {
			return
		}
		h.end(context.WithoutCancel(ctx), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled,
			ErrorCode: "deployment.cancelled", Error: "cancelled before anything was changed"})
		return
	}
	if fault.KindOf(err) == fault.Internal {
		h.log.Error("a deployment failed for a reason that we did not foresee", "deployment", d.ID, "error", err)
	}
	h.end(ctx, stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, ErrorCode: fault.CodeOf(err), Error: fault.PublicOf(err)})
}

// end is close for callers that can do nothing about an error.
func (h *Hub) end(ctx context.Context, o stacks.Outcome) {
	_, err := h.close(ctx, o, o.Error)
	h.report("the end of a deployment cannot be stored", err, "deployment", o.Deployment)
}

// close stores an outcome together with what the recorder knows of the deployment, and text as
// the last words of its log. It reports whether the deployment has ended; it may go on with
// putting the last good revision back.
func (h *Hub) close(ctx context.Context, o stacks.Outcome, text string) (done bool, err error) {
	ending, err := h.recorder.end(ctx, o, text)
	switch {
	case err != nil:
	case ending.Ended:
		h.meterEnd(ctx, o.Deployment)
		h.figures.wake()
		h.Nudge()
	case ending.Restore > 0:
		h.log.Info("a deployment failed; the last good revision is put back", "deployment", o.Deployment, "revision", ending.Restore)
		h.Nudge()
	}
	return ending.Ended, err
}

// meterEnd measures a deployment that has ended: its phases, and how long a new commit took.
func (h *Hub) meterEnd(ctx context.Context, id core.DeploymentID) {
	d, err := h.opts.Store.Deployment(ctx, id)
	if err != nil {
		return // deleted with its stack meanwhile
	}
	for _, p := range d.Phases {
		if p.State != stacks.PhaseSkipped {
			h.opts.Meter.PhaseEnded(p.Name, time.Duration(p.DurationMS)*time.Millisecond)
		}
	}
	if d.State != stacks.DeploymentSucceeded || d.Aim != (stacks.Aim{}) {
		return
	}
	wanted, err := h.opts.Store.Wanted(ctx, d)
	h.report("since when a commit was wanted cannot be read", err)
	if err == nil && !wanted.IsZero() {
		h.opts.Meter.Healthy(max(0, d.FinishedAt.Sub(wanted)))
	}
}
