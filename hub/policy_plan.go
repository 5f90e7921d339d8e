package hub

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/policy"
	"berth/core/stacks"
)

// Limits of a plan of rules.
const (
	maxPlannedRefusals = 200 // stacks, and as many jobs, that are named
	planPage           = 200 // stacks or jobs that are read at once
)

// PolicyPlan says which stacks and jobs rules would refuse as they are in place now, for one worker or, without one,
// for all. It changes nothing, and says nothing of what other rules refuse.
func (h *Hub) PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error) {
	var plan fleet.PolicyPlan
	if err := fleet.CheckRules(rules); err != nil {
		return plan, err
	}
	layers := []policy.Layer{fleet.Policy{Worker: worker, Rules: rules}.Layer()}
	err := everyOne(func(p core.Page) (core.List[stacks.Stack], error) {
		return h.opts.Store.Stacks(ctx, stacks.Filter{Worker: worker}, p)
	}, func(s stacks.Stack) { h.planStackRules(ctx, &plan, s, layers) })
	if err != nil {
		return plan, err
	}
	return plan, h.planJobRules(ctx, &plan, worker, layers)
}

// planJobRules judges the jobs that may run on the worker; without one, all. Where a job of one run at a time goes is
// decided when it runs, so it counts for each worker that has its tags.
func (h *Hub) planJobRules(ctx context.Context, plan *fleet.PolicyPlan, id core.WorkerID, layers []policy.Layer) error {
	runs, err := h.jobsRunOn(ctx, id)
	if err != nil {
		return err
	}
	return everyOne(func(p core.Page) (core.List[jobs.Job], error) { return h.opts.Store.Jobs(ctx, jobs.Filter{}, p) }, func(j jobs.Job) {
		bad := jobs.Confined(j.Definition, layers)
		switch {
		case len(bad) == 0 || !runs(j):
		case len(plan.Jobs) == maxPlannedRefusals:
			plan.MoreJobs++
		default:
			plan.Jobs = append(plan.Jobs, fleet.RefusedJob{ID: j.ID, Name: j.Name, Problems: bad})
		}
	})
}

// jobsRunOn says of a job whether it may run on the worker: on none that is revoked or gone.
func (h *Hub) jobsRunOn(ctx context.Context, id core.WorkerID) (func(jobs.Job) bool, error) {
	if id == "" {
		return func(jobs.Job) bool { return true }, nil
	}
	workers, err := h.opts.Fleet.UsableWorkers(ctx)
	i := slices.IndexFunc(workers, func(w fleet.Worker) bool { return w.ID == id })
	return func(j jobs.Job) bool { return i >= 0 && workers[i].HasAll(j.Definition.Tags) }, err
}

func (h *Hub) planStackRules(ctx context.Context, plan *fleet.PolicyPlan, s stacks.Stack, layers []policy.Layer) {
	if s.Revision == 0 || s.Deleting || ctx.Err() != nil {
		return
	}
	services, refused, err := h.refusedOf(ctx, s, layers)
	switch {
	case err != nil && len(plan.Unread) < maxPlannedRefusals:
		plan.Unread = append(plan.Unread, fmt.Sprintf("stack %s: %s", s.Name, fault.PublicOf(err)))
		return
	case err != nil || len(refused) == 0:
		return
	case len(plan.Stacks) == maxPlannedRefusals:
		plan.MoreStacks++
		return
	}
	found := fleet.RefusedStack{ID: s.ID, Name: s.Name}
	for _, r := range refused {
		found.Violations = append(found.Violations, stacks.NewViolation(r, services, core.Place{}))
	}
	plan.Stacks = append(plan.Stacks, found)
}

// refusedOf judges the revision of a stack that is in place.
func (h *Hub) refusedOf(ctx context.Context, s stacks.Stack, layers []policy.Layer) ([]core.ComposeService, []policy.Refusal, error) {
	rev, err := h.opts.Store.Revision(ctx, s.ID, s.Revision)
	if err != nil {
		return nil, nil, err
	}
	compose, err := h.opts.Files.Compose(s.ID, s.Revision)
	if err != nil {
		return nil, nil, err
	}
	refused, err := h.confine(core.ComposeProject{YAML: compose}, layers)
	return rev.Services, refused, err
}

// everyOne reads a list page by page.
func everyOne[T any](read func(core.Page) (core.List[T], error), do func(T)) error {
	page := core.Page{Limit: planPage}
	for {
		list, err := read(page)
		if err != nil && fault.CodeOf(err) != "store.unreadable" {
			return err
		}
		for _, item := range list.Items {
			do(item)
		}
		if page.After = list.Next; page.After == "" {
			return nil
		}
	}
}
