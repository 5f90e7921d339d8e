package hub

import (
	"context"
	"maps"
	"slices"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
)

// hiddenTime is how long providers may take to say what a log must not show. What they do not say by then
// the worker still takes out: it looks at what its containers were given.
const hiddenTime = 5 * time.Second

// hidden is what the log of a compose service must not show.
type hidden struct {
	templates map[string]string // the service's environment entries that hold secrets, for the worker
	values    []secrets.Value   // what the stack's secrets are today
}

// hiddenOf returns what the log of a compose service must not show. Its containers are of the stack's
// revision, or of the newest one while that is being put in place or has failed.
func (h *Hub) hiddenOf(ctx context.Context, st stacks.Stack, service string) (hidden, error) {
	all := hidden{templates: map[string]string{}}
	names := map[string]bool{}
	kept, err := h.opts.Store.KeptRevisions(ctx, st.ID, 0, sweepPage)
	if err != nil {
		return all, err
	}
	newest := st.Revision
	for _, r := range kept {
		if r.Stack == st.ID {
			newest = r.Number
		}
	}
	for _, number := range slices.Compact([]int{st.Revision, newest}) {
		if number == 0 {
			continue
		}
		rev, err := h.opts.Store.Revision(ctx, st.ID, number)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return all, err
		}
		if err := h.templatesOf(rev, service, all.templates); err != nil {
			return all, err
		}
		o, err := h.keptOverlay(rev)
		if err != nil {
			return all, err
		}
		if laid, err := h.laidOver(ctx, st.Repository, o); err == nil { // else nobody can read it, and the worker has what it gave
			all.values = slices.AppendSeq(all.values, maps.Values(laid))
		}
		for _, name := range secretNames(rev.Services) {
			names[name] = true
		}
	}
	short, cancel := context.WithTimeout(ctx, hiddenTime)
	defer cancel()
	known, err := h.opts.Variables.Known(short, st.ID, slices.Collect(maps.Keys(names)))
	all.values = slices.AppendSeq(all.values, maps.Values(known))
	return all, err
}

// templatesOf adds the service's environment entries that hold secrets, as a revision's Compose file has them.
func (h *Hub) templatesOf(rev stacks.Revision, service string, templates map[string]string) error {
	compose, err := h.opts.Files.Compose(rev.Stack, rev.Number)
	if err != nil {
		return err
	}
	doc, err := h.opts.Rendered.ReadDocument(compose)
	if err != nil {
		return err
	}
	services, _ := doc.Value["services"].(map[string]any)
	one, _ := services[service].(map[string]any)
	environment, _ := one["environment"].(map[string]any)
	for key, value := range environment {
		if template, ok := value.(string); ok && secrets.HasPlaceholder(template) {
			templates[key] = template
		}
	}
	return nil
}
