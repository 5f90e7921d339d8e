package hub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// Limits of plans. Each holds a rendering and the decoded files of some revisions in memory.
const (
	maxPlans   = 4 // at once; others wait
	planExpiry = time.Minute
)

// Plan says what a deployment of the head of the stack's branch would do now. It fetches and
// renders as a deployment does, with the same faults, and stores nothing.
func (h *Hub) Plan(ctx context.Context, id core.StackID) (stacks.Plan, error) {
	bounded, cancel := context.WithTimeout(ctx, planExpiry)
	defer cancel()
	p, err := h.plan(bounded, id)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return stacks.Plan{}, fault.New(fault.Unavailable, "server.busy",
			"The plan was not ready within %s, because the Git host is slow or many plans are being made. Try again.", planExpiry).Because(err).After(10 * time.Second)
	}
	if fault.Is(err, fault.Unauthenticated) { // it is the repository's credential, not that of whoever asks
		return stacks.Plan{}, fault.New(fault.Conflict, fault.CodeOf(err), "%s", fault.PublicOf(err)).Because(err)
	}
	return p, err
}

func (h *Hub) plan(ctx context.Context, id core.StackID) (p stacks.Plan, err error) {
	select {
	case h.plans <- struct{}{}:
		defer func() { <-h.plans }()
	case <-ctx.Done():
		return p, ctx.Err()
	}
	stack, err := h.opts.Store.Stack(ctx, id)
	if err != nil {
		return p, err
	}
	if stack.Deleting {
		return p, fault.New(fault.Conflict, "stack.deleting", "Stack %s is being taken down, so nothing of it would be deployed.", stack.Name)
	}
	r, err := h.rendered(ctx, stack)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	p = stacks.Plan{Stack: id, Commit: r.src.commit, Current: stack.Revision, Worker: stack.Worker, Observed: stack.Worker == "" || h.Online(stack.Worker),
		Wanted: r.project.Services, Missing: r.project.Missing, Findings: r.findings, Warnings: slices.Clone(r.project.Warnings)}
	if p.Providers, err = r.resolveSome(ctx); err != nil {
		return p, err
	}
	for _, step := range []func(context.Context, *rendering, *stacks.Plan) error{h.planRevision, h.planWorker, h.planServices} {
		if err := step(ctx, r, &p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// planRevision finds out whether the render equals a kept revision. Without every value nobody knows.
func (h *Hub) planRevision(ctx context.Context, r *rendering, p *stacks.Plan) error {
	if len(p.Providers) > 0 {
		return nil
	}
	number, known, err := h.opts.Store.RevisionNumber(ctx, p.Stack, r.digest())
	if err == nil && known {
		p.Revision = number
	}
	return err
}

// planWorker names the worker that the deployment would go to.
func (h *Hub) planWorker(ctx context.Context, r *rendering, p *stacks.Plan) error {
	workers, err := h.opts.Fleet.UsableWorkers(ctx)
	if err != nil {
		return err
	}
	tags := append(slices.Clone(r.manifest.WorkerTags), r.stack.WorkerTags...)
	chosen, why := fleet.Place(workers, fleet.Want{Worker: r.stack.Worker, Tags: tags})
	if why != "" {
		p.Warnings = append(p.Warnings, why)
		p.Violations, err = h.violations(ctx, "", r.project)
		return err
	}
	p.Worker = chosen.ID
	p.Violations, err = h.violations(ctx, chosen.ID, r.project)
	return err
}

// planServices compares what was rendered with what is in place.
func (h *Hub) planServices(ctx context.Context, r *rendering, p *stacks.Plan) error {
	document, err := h.opts.Rendered.ReadDocument(r.project.YAML)
	if err != nil {
		return fmt.Errorf("read what was rendered: %w", err)
	}
	in := stacks.PlanInput{Containers: r.stack.Containers, RemoveOrphans: r.manifest.RemoveOrphans}
	in.Next = stacks.ProjectOf(stacks.Revision{Services: r.project.Services, Content: r.project.Content, Variables: r.variables, Manifest: r.manifest}, document)
	if in.Made, err = h.madeFrom(ctx, r.stack); err != nil {
		return err
	}
	in.Base = in.Made[inPlace(r.stack)]
	var warnings []string
	p.Services, warnings = stacks.PlanServices(in)
	stacks.ShowFiles(p.Services, append(slices.Collect(maps.Values(in.Made)), in.Next), planBlobs{r.content, h.opts.Files})
	p.UpToDate = stacks.UpToDate(p.Services)
	p.Warnings = append(p.Warnings, warnings...)
	if r.manifest.ForcePull {
		p.Warnings = append(p.Warnings, "compose.force_pull is set: containers are recreated too when their image's tag has moved in its registry, which a plan cannot see")
	}
	if r.stack.Status == stacks.StatusPending || r.stack.Status == stacks.StatusSyncing {
		p.Warnings = append(p.Warnings, "a deployment of the stack waits or runs, so that what this plan compares with is about to change")
	}
	return nil
}

// madeFrom reads the revisions that the stack's containers were made from and the one in
// place. Those that are not kept any more are left out.
func (h *Hub) madeFrom(ctx context.Context, stack stacks.Stack) (map[int]stacks.Project, error) {
	made := map[int]stacks.Project{}
	numbers := []int{inPlace(stack)}
	for _, c := range stack.Containers {
		numbers = append(numbers, c.Revision)
	}
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		if number == 0 {
			continue
		}
		revision, err := h.opts.Store.Revision(ctx, stack.ID, number)
		if err == nil {
			made[number], err = stacks.ReadProject(revision, h.opts.Files, h.opts.Rendered)
		}
		if fault.Is(err, fault.NotFound) {
			delete(made, number)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// inPlace is the revision that the stack's networks and volumes were made from: the current one or, while
// none was good yet, the newest that left containers.
func inPlace(stack stacks.Stack) int {
	newest := stack.Revision
	for _, c := range stack.Containers {
		if stack.Revision == 0 {
			newest = max(newest, c.Revision)
		}
	}
	return newest
}

// resolveSome resolves what can be resolved and says which secret variables cannot, and why.
func (r *rendering) resolveSome(ctx context.Context) (unresolved []string, err error) {
	names := secretNames(r.project.Services)
	without := func(name, problem string) {
		unresolved = append(unresolved, name+": "+problem)
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
	}
	laid, err := r.h.laidOver(ctx, r.stack.Repository, r.over)
	if err != nil && (r.over.broken != nil || fault.KindOf(err) == fault.Internal) {
		return nil, err
	}
	for _, name := range r.over.names {
		if err != nil && slices.Contains(names, name) {
			without(name, fault.PublicOf(err))
		}
	}
	values, err := r.h.valuesOf(ctx, r.stack.ID, laid, names)
	var f *fault.Error
	if errors.As(err, &f) && f.Code == "secret.unresolved" {
		for _, field := range f.Fields {
			without(field.Path, field.Problem)
		}
		if len(f.Fields) == 0 {
			unresolved = append(unresolved, f.Public)
		}
		if values, err = r.h.valuesOf(ctx, r.stack.ID, laid, names); err != nil {
			return unresolved, nil // what is left failed meanwhile; its values are unknown too
		}
	}
	if err != nil {
		return nil, err
	}
	r.values, r.variables = values, r.h.fingerprints(names, values)
	return unresolved, nil
}
