package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// BindVariable makes a global variable reach exactly the stacks and jobs that were ticked, of those that
// could be.
func BindVariable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		ofStacks, ofJobs, err := p.reachable(r.Context(), v.ID)
		if err != nil {
			return err
		}
		chosen, err := p.Reach.Owners(r.Context(), v.ID)
		if err != nil {
			return err
		}
		offered := slices.Concat(ofStacks, ofJobs)
		chosen = slices.DeleteFunc(chosen, func(o variables.Owner) bool {
			return slices.ContainsFunc(offered, func(t tick) bool { return t.Name == tickOf(o) })
		})
		for name := range form {
			if o, is := ticked(name); is {
				chosen = append(chosen, o)
			}
		}
		if err := p.Reach.BindTo(r.Context(), v.ID, chosen, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(s.href, "variable-reach"))
	})
}

// tickOf names the field that says whether a stack or job is reached: "stack-stk_…".
func tickOf(o variables.Owner) string { return string(o.Scope) + "-" + o.ID }

// ticked is whom a field of tickOf is about; false for other fields.
func ticked(name string) (variables.Owner, bool) {
	scope, id, found := strings.Cut(name, "-")
	o := variables.Owner{Scope: variables.Scope(scope), ID: id}
	return o, found && (o.Scope == variables.ScopeStack || o.Scope == variables.ScopeJob)
}

// reachable lists all stacks and all jobs by name, those ticked that the variable reaches.
func (p VariablePages) reachable(ctx context.Context, id core.VariableID) (ofStacks, ofJobs []tick, err error) {
	reached, err := p.Reach.Owners(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	bound := map[variables.Owner]bool{}
	for _, o := range reached {
		bound[o] = true
	}
	add := func(all *[]tick, o variables.Owner, name string) bool {
		*all = append(*all, tick{Name: tickOf(o), Label: name, On: bound[o]})
		return false
	}
	everyStack := func(ask core.Page) (core.List[stacks.Stack], error) { return p.Store.Stacks(ctx, stacks.Filter{}, ask) }
	if _, _, err = find(everyStack, func(s stacks.Stack) bool { return add(&ofStacks, variables.OfStack(s.ID), s.Name) }); err != nil {
		return nil, nil, err
	}
	everyJob := func(ask core.Page) (core.List[jobs.Job], error) { return p.Store.Jobs(ctx, jobs.Filter{}, ask) }
	_, _, err = find(everyJob, func(j jobs.Job) bool { return add(&ofJobs, variables.OfJob(j.ID), j.Name) })
	return ofStacks, ofJobs, err
}
