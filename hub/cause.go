package hub

import (
	"context"
	"fmt"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/stacks"
)

// cause is why a repository is looked at, and what came of that. It is owned by the goroutine that looks.
type cause struct {
	began    time.Time
	delivery repositories.Delivery // the newest that asked for this look
	told     bool                  // there is one
	commit   core.Commit           // that was judged; empty: none
	version  string                // the tag that it was found under; empty: it is a branch's
	turns    []repositories.Event  // what happened since the commit before
	asked    int                   // deployments
}

// causeOf finds out whether deliveries asked for a look at r. When that cannot be read, the look counts as one that
// polling had by itself: what is deployed does not hang on it.
func (h *Hub) causeOf(ctx context.Context, r repositories.Repository) *cause {
	c := &cause{began: h.opts.Now()}
	if r.AskedAt.IsZero() {
		return c
	}
	var err error
	c.delivery, c.told, err = h.opts.Store.Announcement(ctx, r.ID, r.AskedAt)
	h.report("a webhook's deliveries cannot be read", err)
	return c
}

// sight is what was seen of a stack's folder.
func (c *cause) sight(commit core.Commit, tree string) stacks.Sight {
	s := stacks.Sight{Commit: commit, Trigger: stacks.TriggerPoll, Tree: tree}
	var told []string
	if c.version != "" {
		told = append(told, "tag "+c.version)
	}
	for _, e := range c.turns {
		if e.Kind == repositories.EventRewritten {
			told = append(told, "the branch's history was rewritten")
		}
	}
	if c.told {
		s.Trigger = stacks.TriggerWebhook
		told = append(told, fmt.Sprintf("told by %s, delivery %s", c.delivery.Provider, c.delivery.ID))
	}
	s.Told = strings.Join(told, "; ")
	return s
}

// noteUnannounced notes that deliveries seem to have stopped, when a new head came without one.
func (h *Hub) noteUnannounced(ctx context.Context, r repositories.Repository, c *cause) {
	if c.told || r.HookedAt.IsZero() || r.Head == "" || c.commit == r.Head {
		return
	}
	h.report("that no delivery told of a commit cannot be recorded", h.opts.Store.SetUnannounced(ctx, r.ID, c.commit, c.began))
}

// settle notes with the deliveries that asked for a look what came of it.
func (h *Hub) settle(ctx context.Context, r repositories.Repository, c *cause, failed error) {
	if !c.told {
		return
	}
	h.report("what came of a delivery cannot be recorded", h.opts.Store.SettleDeliveries(ctx, r.ID, r.AskedAt, c.outcome(failed), h.opts.Now()))
}

// outcome says for people what came of the look.
func (c *cause) outcome(failed error) string {
	switch {
	case failed != nil && c.asked == 0:
		return "the look failed: " + fault.PublicOf(failed)
	case c.asked == 0:
		return fmt.Sprintf("looked at commit %s: nothing to deploy", c.commit.Short())
	case c.asked == 1:
		return fmt.Sprintf("looked at commit %s: 1 deployment was asked for", c.commit.Short())
	}
	return fmt.Sprintf("looked at commit %s: %d deployments were asked for", c.commit.Short(), c.asked)
}
