package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackPlanner says what a deployment would do; it changes nothing.
type StackPlanner interface {
	Plan(ctx context.Context, id core.StackID) (stacks.Plan, error)
}

// PlanAnswer is what a deployment of the head of the stack's branch would do now.
type PlanAnswer struct {
	StackID    core.StackID      `json:"stack_id"`
	Commit     core.Commit       `json:"commit"`
	Revision   int               `json:"revision"` // kept revision that the head equals; 0: it would be a new one
	Current    int               `json:"current"`  // revision that is in place; 0: none
	UpToDate   bool              `json:"up_to_date"`
	WorkerID   core.WorkerID     `json:"worker_id"` // that it would run on; "" when none fits
	Observed   bool              `json:"observed"`  // false: the stack's worker is away, and its containers are as it said last
	Services   []PlanService     `json:"services"`
	Project    []RevisionService `json:"project"` // what would be deployed, by compose service
	Missing    []string          `json:"missing"` // variables that the files use without default and nobody provides
	Warnings   []string          `json:"warnings"`
	Findings   []FindingAnswer   `json:"findings"`   // advice; with errors there is no plan
	Violations []ViolationAnswer `json:"violations"` // what the policy refuses: the deployment would fail
	Providers  []string          `json:"providers"`  // secret variables that cannot be resolved now, and why: the deployment would fail
}

// PlanService is what would become of one compose service.
type PlanService struct {
	Service string            `json:"service"`
	Action  stacks.PlanAction `json:"action"` // create, recreate, scale, restart, start, remove or leave
	Reasons []PlanReason      `json:"reasons"`
}

// PlanReason is one cause of a planned action.
type PlanReason struct {
	Kind   stacks.ReasonKind `json:"kind"`   // field, file, variable, network, volume, service, container or option
	Name   string            `json:"name"`   // such as environment.LOG_LEVEL
	Before string            `json:"before"` // masked where it may be secret; "": it was not there
	After  string            `json:"after"`
	Diff   string            `json:"diff"` // of a text file: its lines that differ, as in a patch, masked too; or in parentheses why they are not shown
}

// PlanStack answers with what a deployment of the head of the stack's branch would do now.
func PlanStack(planner StackPlanner) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		plan, err := planner.Plan(r.Context(), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showPlan(plan))
	})
}

func showPlan(p stacks.Plan) PlanAnswer {
	answer := PlanAnswer{StackID: p.Stack, Commit: p.Commit, Revision: p.Revision, Current: p.Current, UpToDate: p.UpToDate, WorkerID: p.Worker, Observed: p.Observed,
		Services: []PlanService{}, Project: showProject(p.Wanted), Missing: orEmpty(p.Missing), Warnings: orEmpty(p.Warnings), Providers: orEmpty(p.Providers)}
	answer.Findings = showFindings(p.Findings)
	answer.Violations = showViolations(p.Violations)
	for _, s := range p.Services {
		service := PlanService{Service: s.Service, Action: s.Action, Reasons: []PlanReason{}}
		for _, r := range s.Reasons {
			service.Reasons = append(service.Reasons, PlanReason(r))
		}
		answer.Services = append(answer.Services, service)
	}
	return answer
}
