package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/lint"
	"berth/core/policy"
	"berth/core/stacks"
)

// TestTheGuidedPathEndsInAReviewedPlan goes from nothing to a first deployment with forms alone: nothing is deployed
// before it was asked for on the review.
func TestTheGuidedPathEndsInAReviewedPlan(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	says(t, s.browse(session, "/stacks/new"), 200, "there is none yet", "/repositories/new?for=stack")
	says(t, s.browse(session, "/repositories/new?for=stack"), 200, `name="for" value="stack"`)
	says(t, s.submit(session, "/repositories", url.Values{"url": {"ftp://x"}, "for": {"stack"}}), 422, `name="for" value="stack"`)
	s.git.Commit("https://git.test/apps.git", "main", map[string]string{"web/compose.yaml": "services: {}"})
	added := s.submit(session, "/repositories", url.Values{"url": {"https://git.test/apps.git"}, "branch": {"main"}, "for": {"stack"}})
	next := added.Header().Get("Location")
	repository, found := strings.CutPrefix(next, "/stacks/new?repository=")
	if !found {
		t.Fatalf("a repository that a stack is to be made of leads to %q", next)
	}
	s.look(repository)
	leadsTo(t, s.browse(session, "/stacks/new"), next)
	leadsTo(t, s.browse(session, next), "/stacks/new?path=web&repository="+repository)
	says(t, s.browse(session, "/stacks/new?repository="), 200, "<select", "apps", "/repositories/new?for=stack")
	says(t, s.browse(session, "/stacks/new?path=web&repository="+repository), 200, `aria-current="step"`, "There is no worker yet", "Go on to the review")

	w := s.submit(session, "/stacks", url.Values{"repository_id": {repository}, "path": {"web"}, "name": {"web"}, "auto_sync": {"on"}, "review": {"on"}})
	review := w.Header().Get("Location")
	stack, found := strings.CutSuffix(review, "/review")
	if !found {
		t.Fatalf("the stack leads to %q: %s", review, w.Body)
	}
	if n := s.count(`SELECT count(*) FROM deployments`) + s.count(`SELECT count(*) FROM stacks WHERE auto_sync`); n != 0 {
		t.Error("it is deployed, or may be, before anybody looked")
	}
	says(t, s.browse(session, stack), 200, "Review and deploy", review)
	says(t, s.browse(session, review), 200, "Variables that it needs", "NOBODY", "Deploy and watch")

	long := strings.Repeat("x", 70<<10)
	for _, secret := range []string{"", "on"} {
		refused := s.submit(session, review+"/variables", url.Values{"name": {"NOBODY"}, "value NOBODY": {long}, "secret NOBODY": {secret}})
		says(t, refused, 422, `aria-invalid="true"`)
	}
	leadsTo(t, s.submit(session, review+"/variables", url.Values{"name": {"NOBODY", "LATER"}, "value NOBODY": {"canary"}, "secret NOBODY": {"on"}, "value LATER": {""}, "auto_sync": {"off"}}), review+"?auto_sync=off")
	if n := s.count(`SELECT count(*) FROM variables WHERE name = 'NOBODY' AND sealed IS NOT NULL`); n != 1 || s.count(`SELECT count(*) FROM variables`) != 1 {
		t.Error("what was typed is not what is kept")
	}
	if page := s.browse(session, review+"?auto_sync=off").Body.String(); strings.Contains(page, "canary") || !strings.Contains(page, `name="auto_sync" value="off"`) {
		t.Error("the review shows a secret, or forgets what was ticked")
	}

	first := s.submit(session, review, url.Values{"auto_sync": {"on"}}).Header().Get("Location")
	if !strings.HasPrefix(first, "/deployments/dep_") || s.count(`SELECT count(*) FROM stacks WHERE auto_sync`) != 1 {
		t.Errorf("the review leads to %q", first)
	}
	s.exec(`UPDATE stacks SET revision = 1`)
	leadsTo(t, s.browse(session, review), stack+"/plan")
}

func TestAReviewShowsWhatWouldRunAndWhatStopsIt(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	_, stack := s.madeStack(session)
	cases := map[string]struct {
		plan  planner
		shows []string
		not   string
	}{
		"all is well": {planner{plan: stacks.Plan{Observed: true, Commit: core.Commit(strings.Repeat("a", 40)), Wanted: []core.ComposeService{
			{Name: "web", Image: "web:7", Scale: 2, Ports: []string{"8080:80/tcp"}, Volumes: []string{"data"}, Binds: []string{"/srv"}, Networks: []string{"front"}, Variables: []string{"TOKEN"}, DependsOn: []core.ComposeDependency{{Service: "db", Condition: core.ComposeHealthy}}},
			{Name: "db", Image: "db:1", Idle: true}}}},
			[]string{"web:7", "2 containers", "8080:80/tcp", "data", "/srv", "front", "TOKEN", "web waits until db is healthy.", "scaled to none", "aaaaaaaaaa", "Deploy and watch"}, "Deploy anyway"},
		"advice": {planner{plan: stacks.Plan{Findings: []lint.Finding{{Code: "image.unpinned", Severity: lint.Advice, What: "the tag may move"}}}}, []string{"The tag may move.", "Deploy and watch"}, "Deploy anyway"},
		"the policy refuses": {planner{plan: stacks.Plan{Violations: []stacks.Violation{stacks.NewViolation(policy.Refusal{Path: "services.web.privileged", Problem: "it has the whole host", Rule: "block.privileged", From: policy.FromGlobal}, []core.ComposeService{{Name: "web"}}, core.Place{})}}},
			[]string{"The policy refuses this", "block.privileged", "Deploy anyway"}, "Deploy and watch"},
		"a secret cannot be read": {planner{plan: stacks.Plan{Providers: []string{"TOKEN: sealed"}}}, []string{"TOKEN: sealed", "Deploy anyway"}, "Deploy and watch"},
		"an error of the file": {planner{err: fault.New(fault.Invalid, "lint.failed", "The Compose file has an error, so nothing was touched:\ncompose.yaml:3: nonsense")},
			[]string{"a deployment would fail for the same reason", "compose.yaml:3: nonsense", "Look again", "Deploy anyway", "Give the variables above"}, `role="alert"`},
		"an error of the file, and no variable is missing": {planner{err: fault.New(fault.Invalid, "lint.failed", "The Compose file has an error"), lost: fault.New(fault.Unavailable, "hub.away", "The hub does not answer.")},
			[]string{`class="notice is-bad" role="alert"`, "Mend it in the repository"}, "Deploy and watch"},
		"nobody can say": {planner{err: fault.New(fault.Unavailable, "hub.away", "The hub does not answer."), lost: fault.New(fault.Unavailable, "hub.away", "The hub does not answer.")},
			[]string{"There is no plan now", "not known whether it lacks variables", "Deploy and watch"}, "Deploy anyway"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s.deps.UI.Plans, s.deps.UI.Environment = &c.plan, &c.plan
			s.build()
			page := s.browse(session, stack+"/review")
			says(t, page, 200, c.shows...)
			if strings.Contains(page.Body.String(), c.not) {
				t.Errorf("the page says %q", c.not)
			}
		})
	}
}
