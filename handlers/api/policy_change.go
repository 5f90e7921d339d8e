package api

import (
	"net/http"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// GetPolicy reads the rules for all workers.
func GetPolicy(reader PolicyReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		p, err := reader.Policy(r.Context(), "")
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showPolicy(p))
	})
}

// GetWorkerPolicy reads what holds on one worker.
func GetWorkerPolicy(reader PolicyReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		e, err := reader.Effective(r.Context(), core.WorkerID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showEffective(e))
	})
}

// SetPolicy replaces the rules of the worker that the path names, or those for all.
func SetPolicy(setter PolicySetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[PolicyRules](r)
		if err != nil {
			return err
		}
		p, err := setter.SetPolicy(r.Context(), endpoint.Principal(r.Context()), core.WorkerID(r.PathValue("id")), ask.rules())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showPolicy(p))
	})
}

// ClearPolicy takes the rules of a worker away.
func ClearPolicy(setter PolicySetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := setter.ClearPolicy(r.Context(), endpoint.Principal(r.Context()), core.WorkerID(r.PathValue("id"))); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// PolicyPlanAnswer is what rules would refuse of what is in place now.
type PolicyPlanAnswer struct {
	Stacks     []RefusedStackAnswer `json:"stacks"`      // at most 200
	Jobs       []RefusedJobAnswer   `json:"jobs"`        // at most 200; for one worker, those whose tags it has
	MoreStacks int                  `json:"more_stacks"` // would be refused beyond those that are named
	MoreJobs   int                  `json:"more_jobs"`   // likewise
	Unread     []string             `json:"unread"`      // what could not be judged, and why
}

// RefusedStackAnswer is a stack whose next deployment would be refused.
type RefusedStackAnswer struct {
	ID         core.StackID      `json:"id"`
	Name       string            `json:"name"`
	Violations []ViolationAnswer `json:"violations"`
}

// RefusedJobAnswer is a job whose next run would be refused.
type RefusedJobAnswer struct {
	ID       core.JobID   `json:"id"`
	Name     string       `json:"name"`
	Problems []JobProblem `json:"problems"`
}

// JobProblem is what rules refuse of a job.
type JobProblem struct {
	Field   string `json:"field"` // of its job.yaml
	Problem string `json:"problem"`
}

// PlanPolicy answers with what rules would refuse, and stores nothing.
func PlanPolicy(planner PolicyPlanner, reader PolicyReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[PolicyRules](r)
		if err != nil {
			return err
		}
		id := core.WorkerID(r.PathValue("id"))
		if r.PathValue("id") != "" {
			if _, err := reader.Effective(r.Context(), id); err != nil {
				return err
			}
		}
		plan, err := planner.PolicyPlan(r.Context(), id, ask.rules())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showPolicyPlan(plan))
	})
}

func showPolicyPlan(plan fleet.PolicyPlan) PolicyPlanAnswer {
	answer := PolicyPlanAnswer{Stacks: []RefusedStackAnswer{}, Jobs: []RefusedJobAnswer{}, MoreStacks: plan.MoreStacks, MoreJobs: plan.MoreJobs, Unread: orEmpty(plan.Unread)}
	for _, s := range plan.Stacks {
		answer.Stacks = append(answer.Stacks, RefusedStackAnswer{s.ID, s.Name, showViolations(s.Violations)})
	}
	for _, j := range plan.Jobs {
		answer.Jobs = append(answer.Jobs, RefusedJobAnswer{j.ID, j.Name, showJobProblems(j.Problems)})
	}
	return answer
}

func showJobProblems(all []fault.Field) []JobProblem {
	problems := make([]JobProblem, len(all))
	for i, p := range all {
		problems[i] = JobProblem{p.Path, p.Problem}
	}
	return problems
}
