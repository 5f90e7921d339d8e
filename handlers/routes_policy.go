package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
)

func policyRoutes(d Deps) []Route {
	desk, plans := d.Workers.Desk, d.Workers.Plans
	const all, one = "/api/custom/policy", "/api/custom/workers/{id}/policy"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "policy"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	return []Route{
		{Method: http.MethodPost, Pattern: "/api/custom/lint", Capability: access.Operate, Surface: guard.API, Handler: api.LintFiles(d.Stacks.Linter),
			Operation: Operation{Summary: "Say what is wrong with Compose files that are in no repository", Tag: "stacks", Request: api.LintRequest{}, Response: api.LintAnswer{}, Status: http.StatusOK,
				Detail: "Nothing is fetched, stored or run. Findings of the severity error would stop a deployment before anything is touched; advice never does."}},
		row(http.MethodGet, all, access.Administer, api.GetPolicy(desk), Operation{Summary: "Read the rules for all workers", Response: api.PolicyAnswer{}, Status: http.StatusOK}),
		row(http.MethodPut, all, access.Administer, api.SetPolicy(desk), Operation{Summary: "Replace the rules for all workers", Request: api.PolicyRules{}, Response: api.PolicyAnswer{}, Status: http.StatusOK,
			Detail: "Rules narrow what the owners of hosts allow; they never give more. What runs stays; the next deployment or run is judged by them, by the server and again by the worker."}),
		row(http.MethodPost, all+"/plan", access.Administer, api.PlanPolicy(plans, desk), Operation{Summary: "Say which stacks and jobs rules for all workers would refuse, and store nothing", Request: api.PolicyRules{}, Response: api.PolicyPlanAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, one, access.Administer, api.GetWorkerPolicy(desk), Operation{Summary: "Read what holds on a worker, and from where each part is", Response: api.WorkerPolicyAnswer{}, Status: http.StatusOK}),
		row(http.MethodPut, one, access.Administer, api.SetPolicy(desk), Operation{Summary: "Replace the rules of a worker, which hold beside those for all", Request: api.PolicyRules{}, Response: api.PolicyAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, one, access.Administer, api.ClearPolicy(desk), Operation{Summary: "Take the rules of a worker away; those for all and those of its host stay", Status: http.StatusNoContent}),
		row(http.MethodPost, one+"/plan", access.Administer, api.PlanPolicy(plans, desk), Operation{Summary: "Say which stacks of a worker and which jobs rules would refuse, and store nothing", Request: api.PolicyRules{}, Response: api.PolicyPlanAnswer{}, Status: http.StatusOK}),
	}
}
