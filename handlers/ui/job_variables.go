package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableBinder says which global variables reach a job; see variables.Desk.
type VariableBinder interface {
	Bind(ctx context.Context, o variables.Owner, ids []core.VariableID, by access.Principal) ([]variables.Variable, error)
}

// JobVariablesDeps is what the page of a job's variables needs.
type JobVariablesDeps struct {
	Finder   JobFinder
	Desk     VariableLister
	Backends SecretBackends
	Now      core.Clock
}

type jobVariablesPage struct {
	Head       jobHead
	Lines      []effectiveLine
	Names      int // that a run gets
	ExportHref string
	Ways       []wayLine
	New        variableForm
	Globals    []tick // global variables, those ticked that reach it
	Trouble    string // why that was not changed
}

var jobVariablesView = newView[jobVariablesPage]("job_variables.html")

// JobScope is the variables of the job that the path names.
func JobScope(finder JobFinder) Scope {
	return func(r *http.Request) (scope, error) {
		j, err := finder.Job(r.Context(), jobIn(r))
		return scope{owner: variables.OfJob(j.ID), of: "of " + j.Name, href: jobHref(j.ID) + "/variables", at: inJobs, trail: jobTrail(j)}, err
	}
}

// JobVariables lists every variable that a run of the job gets, and a form to add to them.
func JobVariables(d JobVariablesDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := d.Finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		page, err := d.page(r, j)
		if err != nil {
			return err
		}
		return jobVariablesView.write(w, r, http.StatusOK, newFrame(r, inJobs, "Variables of "+j.Name, jobTrail(j)...), page)
	})
}

func (d JobVariablesDeps) page(r *http.Request, j jobs.Job) (page jobVariablesPage, err error) {
	base, owner := jobHref(j.ID)+"/variables", variables.OfJob(j.ID)
	page = jobVariablesPage{Head: jobHeadOf(j, nil, tabVariables), New: newVariableForm(variables.ScopeJob, "", "", true), ExportHref: exportHref(owner)}
	if page.Ways, err = waysOf(r, base+"/new", picked{}, d.Backends); err != nil {
		return page, err
	}
	own, bound, err := variablesSeenBy(r.Context(), d.Desk, j.ID)
	if err != nil {
		return page, err
	}
	page.Lines = seenLines(own, bound, base, d.Now())
	for _, line := range page.Lines {
		if line.Loses == "" {
			page.Names++
		}
	}
	page.Globals, err = globalTicks(r.Context(), d.Desk, bound)
	return page, err
}

// BindToJob makes exactly those global variables reach the job that were ticked.
func BindToJob(d JobVariablesDeps, desk VariableBinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		j, err := d.Finder.Job(r.Context(), jobIn(r))
		if err != nil {
			return err
		}
		var ids []core.VariableID
		for name := range form {
			if id, is := strings.CutPrefix(name, globalTick("")); is {
				ids = append(ids, core.VariableID(id))
			}
		}
		if _, err = desk.Bind(r.Context(), variables.OfJob(j.ID), ids, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(jobHref(j.ID)+"/variables", "job-reach"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page, err := d.page(r, j)
		if err != nil {
			return err
		}
		page.Trouble = c.general()
		for i := range page.Globals {
			page.Globals[i].On = form.Has(page.Globals[i].Name)
		}
		f := newFrame(r, inJobs, "Variables of "+j.Name, jobTrail(j)...)
		f.Problem = true
		return jobVariablesView.write(w, r, c.Status, f, page)
	})
}

// globalTick names the field that says whether a global variable reaches a job.
func globalTick(id core.VariableID) string { return "variable-" + string(id) }

// variablesSeenBy returns the variables of a job, and the global ones that reach it, by name.
func variablesSeenBy(ctx context.Context, lister VariableLister, id core.JobID) (own, bound []variables.Variable, err error) {
	if own, err = variablesOf(ctx, lister, variables.OfJob(id)); err != nil {
		return nil, nil, err
	}
	bound, err = lister.Bound(ctx, variables.OfJob(id))
	return own, bound, err
}

// seenLines lists what a run gets by name, and under a variable of the job the global one that it shadows.
func seenLines(own, bound []variables.Variable, base string, now time.Time) []effectiveLine {
	var all []effectiveLine
	ownBy := byName(own)
	for _, v := range own {
		all = append(all, effectiveLine{Variable: variableOf(v, base+"/"+string(v.ID), now), From: fromJob})
	}
	for _, v := range bound {
		line := effectiveLine{Variable: variableOf(v, "/variables/"+string(v.ID), now), From: sourceWords[variables.SourceGlobal]}
		if _, shadowed := ownBy[v.Name]; shadowed {
			line.Loses = fromJob
		}
		all = append(all, line)
	}
	slices.SortStableFunc(all, func(a, b effectiveLine) int { return strings.Compare(a.Variable.Name, b.Variable.Name) })
	return all
}

// fromJob says that a variable is the job's own.
const fromJob = "this job"

// globalTicks offers all global variables by name, those ticked that are bound.
func globalTicks(ctx context.Context, lister VariableLister, bound []variables.Variable) ([]tick, error) {
	all, err := variablesOf(ctx, lister, variables.Global)
	var ticks []tick
	for _, v := range all {
		ticks = append(ticks, tick{Name: globalTick(v.ID), Label: v.Name, On: slices.ContainsFunc(bound, func(b variables.Variable) bool { return b.ID == v.ID })})
	}
	return ticks, err
}

// inOrder sorts names, each once.
func inOrder(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
