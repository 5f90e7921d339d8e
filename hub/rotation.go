package hub

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

// rotationPage is how many stacks are compared at once.
const rotationPage = 100

// rotationTime bounds how long the values of one page may take to be resolved.
const rotationTime = time.Minute

// noteDelivering stores which secret values a frame gives, before it is sent. Those of a secrets file are
// left out: they change by a commit alone.
func (h *Hub) noteDelivering(ctx context.Context, c stacks.Command, deploy *wire.Deploy) error {
	if deploy == nil || len(deploy.Secrets) == 0 {
		return nil
	}
	rev, err := h.opts.Store.Revision(ctx, c.Stack, c.Body.Revision)
	if err != nil {
		return err
	}
	o, err := h.keptOverlay(rev)
	if err == nil && o.content != nil {
		o.names, err = h.opts.SecretsFiles.Names(o.content)
	}
	if err != nil {
		return err
	}
	prints := make(map[string]string, len(deploy.Secrets))
	for name, value := range deploy.Secrets {
		if !slices.Contains(o.names, name) {
			prints[name] = h.opts.Variables.Fingerprint(name, secrets.NewValue(value))
		}
	}
	return h.opts.Store.MarkDelivering(ctx, c.ID, prints)
}

// compareSecrets finds out again and again which values are newer at their providers than in the
// containers that run, until ctx ends.
func (h *Hub) compareSecrets(ctx context.Context) {
	if h.opts.Rotation <= 0 {
		return
	}
	ticker := time.NewTicker(h.opts.Rotation)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		h.safely("rotated secrets", func() { h.report("secret values cannot be compared", h.compareAll(ctx)) })
	}
}

// compareAll looks at every stack once.
func (h *Hub) compareAll(ctx context.Context) error {
	after := core.StackID("")
	for {
		some, err := h.opts.Store.Delivered(ctx, after, rotationPage)
		if err != nil && !unreadable(err) {
			return err
		}
		h.report("what a stack was given of secrets cannot be read", err)
		if err := h.comparePage(ctx, some); err != nil {
			return err
		}
		if len(some) < rotationPage {
			return nil
		}
		after = some[len(some)-1].Stack
	}
}

func (h *Hub) comparePage(ctx context.Context, some []stacks.Delivered) error {
	asked := make(map[core.StackID][]string, len(some))
	for _, d := range some {
		asked[d.Stack] = slices.Sorted(maps.Keys(d.Prints))
	}
	short, cancel := context.WithTimeout(ctx, rotationTime)
	defer cancel()
	now, err := h.opts.Variables.Prints(short, asked)
	if err != nil {
		return err
	}
	queued := false
	for _, d := range some {
		asked, err := h.compareOne(ctx, d, now[d.Stack])
		if err != nil {
			return err
		}
		queued = queued || asked
	}
	if queued {
		h.Nudge()
	}
	return nil
}

// compareOne stores what is newer for one stack, when that is news, and has it deployed when its manifest
// says so.
func (h *Hub) compareOne(ctx context.Context, d stacks.Delivered, now map[string]string) (queued bool, err error) {
	r := stacks.Rotation{Stale: d.Compare(now)}
	redeploy := false
	if len(r.Stale) > 0 {
		r.Since, r.Seen = d.Rotation.Since, h.printOf(r.Stale, now)
		if r.Since.IsZero() {
			r.Since = h.opts.Now()
		}
		redeploy = d.Redeploy && r.Seen != d.Rotation.Seen
	}
	if !redeploy && slices.Equal(r.Stale, d.Rotation.Stale) {
		return false, nil
	}
	return h.opts.Store.SetRotation(ctx, d, r, redeploy)
}

// printOf identifies a set of newer values.
func (h *Hub) printOf(names []string, now map[string]string) string {
	var all strings.Builder
	for _, name := range names {
		all.WriteString(name + " " + now[name] + "\n")
	}
	return h.opts.Variables.Fingerprint("rotation", secrets.NewValue(all.String()))
}
