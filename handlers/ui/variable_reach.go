package ui

import (
	"context"
	"net/url"
	"strings"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/core/variables"
)

// shownReach is how many stacks, and how many jobs, are offered at once to be reached by a variable: a page with all of very
// many would be megabytes.
const shownReach = 100

// reachForm offers stacks and jobs to be reached by a global variable.
type reachForm struct {
	Href    string // where it is sent to
	Find    exact  // part of the name of those that are offered; empty: any name will do
	Trouble string
	Stacks  reachChoice
	Jobs    reachChoice
}

// refuse puts back what was ticked, with why it was not saved.
func (f *reachForm) refuse(c complaints, form url.Values) {
	f.Trouble = c.general()
	for _, ticks := range [][]tick{f.Stacks.Ticks, f.Jobs.Ticks} {
		for i := range ticks {
			ticks[i].On = form.Has(ticks[i].Name)
		}
	}
}

// reachChoice offers the first of some stacks or jobs, in order of their names.
type reachChoice struct {
	Ticks   []tick
	Reached int  // how many the variable reaches, whatever is offered
	More    bool // there are others, which a search finds
}

// Searched reports whether it offers what was searched for, or has more than it offers.
func (f reachForm) Searched() bool { return f.Find != "" || f.Stacks.More || f.Jobs.More }

// Any reports whether something is offered.
func (f reachForm) Any() bool { return len(f.Stacks.Ticks) > 0 || len(f.Jobs.Ticks) > 0 }

// reachable offers stacks and jobs by name, those ticked that the variable reaches.
func (p VariablePages) reachable(ctx context.Context, id core.VariableID, query url.Values) (reachForm, error) {
	reached, err := p.Reach.Owners(ctx, id)
	if err != nil {
		return reachForm{}, err
	}
	bound := map[variables.Owner]bool{}
	for _, o := range reached {
		bound[o] = true
	}
	find := strings.TrimSpace(query.Get("find"))
	ofStacks, err := p.Store.Stacks(ctx, stacks.Filter{Search: find}, core.Page{Limit: shownReach})
	if err != nil {
		return reachForm{}, err
	}
	ofJobs, err := p.Store.Jobs(ctx, jobs.Filter{Search: find}, core.Page{Limit: shownReach})
	if err != nil {
		return reachForm{}, err
	}
	f := reachForm{Find: exact(find), Stacks: reachChoice{More: ofStacks.Next != ""}, Jobs: reachChoice{More: ofJobs.Next != ""}}
	for _, s := range ofStacks.Items {
		f.Stacks.offer(variables.OfStack(s.ID), s.Name, bound)
	}
	for _, j := range ofJobs.Items {
		f.Jobs.offer(variables.OfJob(j.ID), j.Name, bound)
	}
	for o := range bound {
		if o.Scope == variables.ScopeStack {
			f.Stacks.Reached++
		} else {
			f.Jobs.Reached++
		}
	}
	return f, nil
}

func (c *reachChoice) offer(o variables.Owner, name string, bound map[variables.Owner]bool) {
	c.Ticks = append(c.Ticks, tick{Name: tickOf(o), Label: name, On: bound[o]})
}
