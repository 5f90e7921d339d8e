package handlers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/lint"
	"berth/core/policy"
	"berth/core/stacks"
	"berth/handlers"
	"berth/handlers/ui"
	"berth/hub/adapter/qrcode"
	"berth/hub/adapter/yaml"
)

// uiDeps joins what the other areas have to what the pages need.
func (s *stand) uiDeps() handlers.UIDeps {
	s.deps.Guard.ErrorPage = ui.ErrorPage
	return handlers.UIDeps{Secrets: s.sopsDeps().Files, SetUp: s.setUp, SignIn: s.signIn, Accounts: s.accounts, Store: s.store,
		Repositories: s.deps.Repositories.Desk.(handlers.UIRepository), Browser: s.deps.Repositories.Browser.(handlers.UIBrowser),
		Variables: s.deps.Variables.Desk.(handlers.UIVariables), Stacks: s.deps.Stacks.Desk.(handlers.UIStacks), Jobs: s.deps.Jobs.Desk.(handlers.UIJobs),
		GitHosts: s.deps.GitHosts.Desk.(ui.GitHostDesk),
		Hooks:    s.deps.Webhooks.Desk.(ui.WebhookDesk), Workers: s.deps.Workers.Desk.(handlers.UIWorkers), Live: noHub{}, Now: s.now,
		Integrations: s.deps.Integrations.Desk.(handlers.UIIntegrations), Environment: s.plans(),
		Plans: s.plans(), Compose: rendered{}, Compare: stacks.NewComparer(s.store, rendered{}, yaml.Rendered{}), Codes: qrcode.Maker{}}
}

// planner plans the same for every stack: what the test says.
type planner struct {
	plan stacks.Plan
	err  error
	lost error // what an environment is answered with
}

func (p *planner) Plan(context.Context, core.StackID) (stacks.Plan, error) { return p.plan, p.err }

func (p *planner) Lint(_ context.Context, ask lint.Ask) ([]lint.Finding, error) {
	if len(ask.Files) == 0 && ask.Repository == "" {
		return nil, fault.BadFields("lint.invalid", []fault.Field{{Path: "files", Problem: "must be some"}})
	}
	return []lint.Finding{{Code: "image.unpinned", Severity: lint.Advice, Service: "web", Field: "image", Place: core.Place{File: "compose.yaml", Line: 3}, What: "w", Why: "y", Next: "n"}}, nil
}

func (p *planner) PolicyPlan(_ context.Context, _ core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error) {
	var plan fleet.PolicyPlan
	if rules.Block.Privileged {
		at := stacks.NewViolation(policy.Refusal{Path: "services.web.privileged", Problem: "it has the whole host", Rule: "block.privileged", From: policy.FromGlobal}, []core.ComposeService{{Name: "web"}}, core.Place{})
		plan.Stacks = []fleet.RefusedStack{{ID: "stk_1", Name: "web", Violations: []stacks.Violation{at}}}
		plan.Jobs, plan.Unread = []fleet.RefusedJob{{ID: "job_1", Name: "dump", Problems: []fault.Field{{Path: "image", Problem: "is not allowed"}}}}, []string{"stack old: it cannot be read"}
	}
	return plan, fleet.CheckRules(rules)
}

func (p *planner) Environment(context.Context, core.StackID) (stacks.Environment, error) {
	if p.lost != nil {
		return stacks.Environment{}, p.lost
	}
	return stacks.Environment{Commit: "c1", File: "web/secrets.yaml", Provided: []string{"A"}, Missing: []string{"NOBODY"}, Uses: map[string][]string{"A": {"web"}, "TOKEN": {"web"}}}, nil
}

// plans is a planner that finds nothing to do.
func (s *stand) plans() *planner { return &planner{plan: stacks.Plan{UpToDate: true, Observed: true}} }

// browse loads a page as a browser does.
func (s *stand) browse(session, path string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(call{method: http.MethodGet, path: path, session: session, header: http.Header{"Accept": {"text/html"}}})
}

// submit sends a form as a browser without script does.
func (s *stand) submit(session, path string, form url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do(call{method: http.MethodPost, path: path, session: session, body: form.Encode(),
		header: http.Header{"Accept": {"text/html"}, "Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}})
}
