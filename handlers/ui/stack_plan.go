package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/lint"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// Planner says what a deployment of the head of a stack's branch would do now. It changes nothing.
type Planner interface {
	Plan(ctx context.Context, id core.StackID) (stacks.Plan, error)
}

type planPage struct {
	Head       stackHead
	Trouble    told // why there is no plan
	Later      bool // there is none now, which says nothing about a deployment
	Summary    string
	UpToDate   bool
	Commit     string
	Revision   int // kept one that it would be; 0: a new one
	Current    int // 0: none
	Worker     string
	Away       bool // the worker is offline, so it goes by what that said last
	Services   []planLine
	Missing    []string
	Providers  []string
	Warnings   []string
	Advice     []findingLine
	Violations []violationLine // what the policy refuses: a deployment would fail
	Project    planProject
}

// planLine is what would become of a compose service, and why.
type planLine struct {
	Name    string
	Badge   badge
	Reasons []changeLine
}

// passing are the reasons that there is no plan now that a deployment would wait for.
var passing = []string{"hub.away", "server.busy"}

var planView = newView[planPage]("stack_plan.html")

// Plan shows what a deployment would do, before anything happens.
func Plan(finder StackFinder, workers WorkerFinder, planner Planner) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		f := newFrame(r, inStacks, "Plan of "+s.Name, stackTrail(s)...)
		page, c, err := planOf(r, s, workers, planner)
		if err != nil {
			return err
		}
		if page.Trouble.Text != "" {
			f.Problem = true
			c.when(w)
			return planView.write(w, r, c.Status, f, page)
		}
		return planView.write(w, r, http.StatusOK, f, page)
	})
}

// planOf asks for the plan of a stack; why there is none is what the page says, and c how it is answered.
func planOf(r *http.Request, s stacks.Stack, workers WorkerFinder, planner Planner) (page planPage, c complaints, err error) {
	plan, err := planner.Plan(r.Context(), s.ID)
	if c, ours := complain(r, err); ours && !fault.Is(err, fault.NotFound) {
		return planPage{Head: headOf(s, nil, ""), Trouble: tellingOf(fault.PublicOf(err)), Later: slices.Contains(passing, fault.CodeOf(err))}, c, nil
	}
	if err != nil {
		return page, c, err
	}
	worker, err := newNames(nil, workers).worker(r.Context(), plan.Worker)
	if err != nil {
		return page, c, err
	}
	page = showPlan(plan, s)
	page.Worker = worker.Name
	return page, c, nil
}

func showPlan(plan stacks.Plan, s stacks.Stack) planPage {
	page := planPage{Head: headOf(s, nil, ""), UpToDate: plan.UpToDate, Commit: plan.Commit.Short(), Revision: plan.Revision, Current: plan.Current,
		Away: !plan.Observed && plan.Worker != "", Missing: plan.Missing, Providers: plan.Providers}
	for _, warning := range plan.Warnings {
		page.Warnings = append(page.Warnings, sentence(warning))
	}
	page.Project = projectOf(plan)
	page.Advice = findingLines(plan.Findings)
	page.Violations = violationLines(plan.Violations)
	changed := 0
	for _, service := range plan.Services {
		if service.Action != stacks.PlanLeave {
			changed++
		}
		page.Services = append(page.Services, planLine{service.Service, badgeOf(planBadges, service.Action), changeLines(service.Reasons)})
	}
	page.Summary = planWords(changed, len(plan.Services), plan.Current > 0)
	return page
}

// findingLine is something that could be better.
type findingLine struct{ At, Place, What, Why, Next, Code string }

func findingLines(all []lint.Finding) (lines []findingLine) {
	for _, f := range all {
		line := findingLine{At: strings.TrimSpace(f.Service + " " + f.Field), What: sentence(f.What), Why: sentence(f.Why), Next: sentence(f.Next), Code: f.Code}
		if f.File != "" {
			line.Place = f.Place.String()
		}
		lines = append(lines, line)
	}
	return lines
}

// violationLine is something that a policy refuses.
type violationLine struct {
	At    string // compose service and field
	Place string // file and line; empty: not known
	Text  string
	Rule  string // that refuses it; empty: the host does not allow it
}

func violationLines(all []stacks.Violation) (lines []violationLine) {
	for _, v := range all {
		line := violationLine{At: strings.TrimSpace(v.Service + " " + v.Field), Text: sentence(v.Problem), Rule: v.Rule}
		if v.File != "" {
			line.Place = v.Place.String()
		}
		if v.Rule == "" {
			line.Text = strings.TrimSuffix(line.Text, ".") + ", which the host does not allow."
		} else {
			line.Text = strings.TrimSuffix(line.Text, ".") + ", which " + v.From.Words() + " refuses."
		}
		lines = append(lines, line)
	}
	return lines
}

func planWords(changed, all int, placed bool) string {
	switch {
	case changed == 0 && !placed:
		return "Nothing is in place, and this would start nothing: no compose service is active. A profile in the manifest may be missing."
	case changed == 0:
		return "Nothing would change: every compose service is as the newest commit has it."
	case all == 1:
		return "Its one compose service would change."
	case changed == all:
		return fmt.Sprintf("All %d compose services would change.", all)
	}
	return fmt.Sprintf("%d of %d compose services would change; the others are left alone.", changed, all)
}
