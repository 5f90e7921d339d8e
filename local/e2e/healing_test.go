package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// sick is a compose service that says something and never becomes healthy.
func sick(t *testing.T, name string) string {
	return box(t, name, "command: [sh, -c, 'echo no such table: users; sleep 3600']",
		`healthcheck: {test: [CMD-SHELL, "exit 1"], interval: 200ms, timeout: 2s, retries: 2}`)
}

// wished posts a wish about a stack and waits until the deployment that covers it has ended.
func wished(t *testing.T, stack *rig.Stack, what string, body any) api.DeploymentAnswer {
	t.Helper()
	return rig.Post[api.DeploymentAnswer](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/"+what+"?wait="+rig.Deploying.String(), body, http.StatusAccepted)
}

// endOf waits for the newest deployment of a commit to end.
func endOf(t *testing.T, stack *rig.Stack, commit core.Commit) api.DeploymentAnswer {
	t.Helper()
	return stack.Deployment(deploymentOf(t, stack, commit))
}

func failureIsRestored(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"), box(t, "other"))))
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	bad := repository.Commit(one(compose(sick(t, "web"), box(t, "other"))))
	d := endOf(t, stack, bad)
	if d.State != stacks.DeploymentRolledBack || d.ErrorCode != "engine.unhealthy" || d.FailedService != "web" || !strings.Contains(d.FailedLines, "no such table: users") ||
		d.Restore == nil || d.Restore.Revision != 1 || d.Restore.State != stacks.RestoreSucceeded || d.Revision != 2 {
		t.Fatalf("the deployment is %+v", d)
	}
	if text := stack.LogOf(d.ID); !strings.Contains(text, "restore: ") || !strings.Contains(text, "no such table: users") {
		t.Errorf("the log says %s", text)
	}
	now := stack.Until("what ran before is back", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive })
	if now.Revision != 1 || !now.OutOfSync || now.Quarantine == nil || now.Quarantine.Commit != bad {
		t.Errorf("the stack is %+v", now)
	}
	wantAnew(t, before, stack.Containers(), "web")
	if web := stack.Container("web"); web.State.Status != "running" || web.State.Health != nil {
		t.Errorf("web is %+v", web.State)
	}
	repository.Commit(map[string]string{"elsewhere": "changes nothing of the stack"})
	good := repository.Commit(one(compose(box(t, "web", "environment: [GOOD=1]"), box(t, "other"))))
	if now := stack.At(good); now.Quarantine != nil || now.Revision != 3 {
		t.Errorf("after a better commit the stack is %+v", now)
	}
	for _, d := range rig.Get[endpoint.Items[api.DeploymentAnswer]](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/deployments").Items {
		if d.Revision == 2 && d.State != stacks.DeploymentRolledBack {
			t.Errorf("the commit in quarantine was deployed again: %+v", d)
		}
	}
}

func keepLeavesWhatFailed(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web")), "app/wireops.yaml": "version: wireops.v1\ndeploy: {on_failure: keep}\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	d := endOf(t, stack, repository.Commit(map[string]string{"app/compose.yaml": compose(sick(t, "web"))}))
	if d.State != stacks.DeploymentFailed || d.Restore != nil {
		t.Fatalf("the deployment is %+v", d)
	}
	if now := stack.Now(); now.Status != stacks.StatusError || now.RetryAt == nil || now.Quarantine != nil {
		t.Errorf("the stack is %+v", now)
	}
	if web := stack.Container("web"); web.State.Health == nil {
		t.Error("what failed does not run any more")
	}
}

func rollbackToARevision(t *testing.T, s *rig.Server) {
	files := func(page string) map[string]string {
		return map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [SECRET]")), "app/site/index.html": page}
	}
	repository := s.Repository(files("one"))
	stack := repository.Manual("", "app")
	stack.SetSecret("SECRET", "of yesterday")
	first := stack.Synced()
	repository.Commit(files("two"))
	if second := stack.Synced(); second.Revision != 2 {
		t.Fatalf("the second deployment is %+v", second)
	}
	for _, bad := range []any{map[string]any{"revision": "../../etc"}, map[string]any{"revision": "abc1234"}, map[string]any{"revision": -1}, map[string]any{}} {
		if answer := stack.Ask(http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+"/rollback", bad); answer.Status != http.StatusUnprocessableEntity && answer.Status != http.StatusBadRequest {
			t.Errorf("rollback %v: %d %s", bad, answer.Status, answer.Body)
		}
	}
	stack.Problem(http.StatusNotFound, http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+"/rollback", map[string]any{"revision": 99})
	d := wished(t, stack, "rollback", map[string]any{"revision": 1})
	if d.State != stacks.DeploymentSucceeded || d.Revision != 1 || d.Trigger != stacks.TriggerRollback || d.Commit != first.Commit {
		t.Fatalf("the rollback is %+v\n%s", d, stack.LogOf(d.ID))
	}
	if page := stack.Container("web").Read(t, "/site/index.html"); page != "one" {
		t.Errorf("it shows %q", page)
	}
	if now := stack.Now(); now.Status != stacks.StatusActive || now.Revision != 1 || !now.OutOfSync {
		t.Errorf("the stack is %+v", now)
	}
	if d := stack.Synced(); d.Revision != 2 {
		t.Errorf("the sync is %+v", d)
	}
}

// O3: what hands did to containers is named, whatever the engine shows.
func driftIsNamed(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"), box(t, "other"), box(t, "third"))))
	stack := repository.Manual("", "app")
	stack.Synced()
	before := stack.Containers()
	rig.Docker(t, "rm", "--force", before["web"].ID)
	rig.Docker(t, "update", "--memory", "64m", "--memory-swap", "64m", before["other"].ID)
	now := stack.Until("both differences", func(now api.StackAnswer) bool { return now.Drifted && len(now.Drift) == 2 })
	if now.Status != stacks.StatusDegraded {
		t.Errorf("the stack is %+v", now)
	}
	found := map[string]stacks.DifferenceKind{}
	for _, d := range now.Drift {
		found[d.Service] = d.Kind
		if d.Service == "other" && !strings.Contains(strings.Join(d.Fields, " "), "memory") {
			t.Errorf("what was changed is %q", d.Fields)
		}
	}
	if found["web"] != stacks.DifferenceMissing || found["other"] != stacks.DifferenceChanged {
		t.Errorf("differences are %+v", now.Drift)
	}
	stack.Synced()
	now = stack.Until("it is as deployed", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
	if len(now.Drift) != 0 {
		t.Errorf("the stack is %+v", now)
	}
	wantAnew(t, before, stack.Containers(), "other", "web")

	rig.Docker(t, "stop", "--time", "1", stack.Container("third").ID) // which nothing restarts
	now = stack.Until("the one that was stopped", func(now api.StackAnswer) bool { return now.Drifted && len(now.Drift) == 1 })
	if d := now.Drift[0]; d.Service != "third" || d.Kind != stacks.DifferenceStopped || now.Status != stacks.StatusDegraded {
		t.Errorf("the stack is %+v", now)
	}
	rig.Docker(t, "start", stack.Container("third").ID)
	stack.Until("it was started again", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
}

func driftIsRepaired(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web"), box(t, "other")), "app/wireops.yaml": "version: wireops.v1\nsync: {self_heal: true}\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	rig.Docker(t, "rm", "--force", before["web"].ID)
	rig.Until(t, rig.Deploying, "it was repaired", func() (bool, string) {
		d := stack.Last()
		return d.Trigger == stacks.TriggerDrift && d.State == stacks.DeploymentSucceeded, string(d.Trigger) + " " + string(d.State)
	})
	stack.Until("it is as deployed", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
	wantAnew(t, before, stack.Containers(), "web")
}

// stoppedIsRepaired: nothing but a repair starts a container that has no restart policy.
func stoppedIsRepaired(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web"), box(t, "other")), "app/wireops.yaml": "version: wireops.v1\nsync: {self_heal: true}\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	rig.Docker(t, "stop", "--time", "1", before["web"].ID)
	rig.Until(t, rig.Deploying, "it was repaired", func() (bool, string) {
		d := stack.Last()
		return d.Trigger == stacks.TriggerDrift && d.State == stacks.DeploymentSucceeded, string(d.Trigger) + " " + string(d.State)
	})
	now := stack.Until("it is as deployed", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
	after := stack.Containers()
	if now.Revision != 1 || after["web"].State.Status != "running" || after["other"].ID != before["other"].ID {
		t.Errorf("revision %d runs as %+v, was %+v", now.Revision, after, before)
	}
}

// pausedIsRepaired: what a person paused is named, also of a service that may end, and goes on as the same container.
func pausedIsRepaired(t *testing.T, s *rig.Server) {
	manifest := "version: wireops.v1\nsync: {self_heal: true}\n"
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "restart: on-failure"), box(t, "other"))})
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	rig.Docker(t, "pause", before["web"].ID)
	now := stack.Until("it is named", func(now api.StackAnswer) bool { return now.Drifted && len(now.Drift) == 1 })
	if d := now.Drift[0]; d.Service != "web" || d.Kind != stacks.DifferenceStopped || !strings.Contains(d.Text, "was paused by hand") || now.HealAt != nil {
		t.Errorf("the stack is %+v", now)
	}
	commit := repository.Commit(map[string]string{"app/compose.yaml": compose(box(t, "web", "restart: on-failure"), box(t, "other")), "app/wireops.yaml": manifest})
	now = stack.At(commit)
	if web := stack.Container("web"); web.ID != before["web"].ID || web.State.Status != "running" || now.Drifted {
		t.Errorf("after a deployment web is %+v in %+v", web.State, now)
	}
	rig.Docker(t, "pause", before["web"].ID)
	rig.Until(t, rig.Deploying, "it was repaired", func() (bool, string) {
		d := stack.Last()
		return d.Trigger == stacks.TriggerDrift && d.State == stacks.DeploymentSucceeded, string(d.Trigger) + " " + string(d.State)
	})
	stack.Until("it is as deployed", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
	if web := stack.Container("web"); web.ID != before["web"].ID || web.State.Status != "running" {
		t.Errorf("web is %+v", web.State)
	}
}

// A person's container in the stack's project is named, hinders no repair, and stays.
func strangerIsNamed(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web")), "app/wireops.yaml": "version: wireops.v1\nsync: {self_heal: true}\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	stranger := stack.Name + "-mine"
	rig.Docker(t, "run", "--detach", "--name", stranger, "--network", "none", "--label", "com.docker.compose.project="+stack.Name, "--label", "com.docker.compose.service=mine", rig.Image(t), "sleep", "3600")
	t.Cleanup(func() { rig.Docker(t, "rm", "--force", stranger) })
	named := func(now api.StackAnswer) bool {
		return len(now.Drift) == 1 && now.Drift[0].Kind == stacks.DifferenceExtra && now.Drift[0].Container == stranger
	}
	stack.Until("it is named", named)
	rig.Docker(t, "rm", "--force", stack.Container("web").ID)
	rig.Until(t, rig.Deploying, "it was repaired", func() (bool, string) {
		d := stack.Last()
		return d.Trigger == stacks.TriggerDrift && d.State == stacks.DeploymentSucceeded, string(d.Trigger) + " " + string(d.State) + " " + d.Error
	})
	stack.Until("it alone is named again", named)
	if text := stack.LogOf(stack.Last().ID); !strings.Contains(text, stranger) || !strings.Contains(text, "left alone") {
		t.Errorf("the log says %s", text)
	}
	if state := rig.Docker(t, "inspect", "--format", "{{.State.Status}}", stranger); strings.TrimSpace(state) != "running" {
		t.Errorf("the person's container is %s", state)
	}
}

// haltedStays: what a person stops through the API stays so although the stack repairs itself, until it is synced.
func haltedStays(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "restart: unless-stopped"), box(t, "other")), "app/wireops.yaml": "version: wireops.v1\nsync: {self_heal: true}\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	stack.Act("web", "stop")
	halted := func(now api.StackAnswer) bool {
		return now.Status == stacks.StatusDegraded && !now.Drifted && strings.Contains(now.Error, "web was stopped through Berth by ")
	}
	stack.Until("it is shown as stopped", halted)
	rig.Docker(t, "rm", "--force", before["other"].ID) // which a repair would bring back, and web with it
	stack.Until("the other one is missing", func(now api.StackAnswer) bool { return now.Drifted && len(now.Drift) == 1 && now.HealAt == nil })
	if last := stack.Last(); last.Trigger == stacks.TriggerDrift || stack.Container("web").State.Status != "exited" {
		t.Errorf("web is %s after %+v", stack.Container("web").State.Status, last)
	}
	stack.Synced()
	stack.Until("it is as deployed", func(now api.StackAnswer) bool { return !now.Drifted && now.Status == stacks.StatusActive })
	if web := stack.Container("web"); web.State.Status != "running" || web.ID != before["web"].ID {
		t.Errorf("web is %+v", web.State)
	}
}

func pauseHoldsBack(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"))))
	stack, other := repository.On("", "app"), repository.Stack(api.CreateStackRequest{Path: "app", Name: rig.Name()})
	stack.Deployed()
	other.Deployed()
	path := "/api/custom/stacks/" + string(stack.ID)
	if now := rig.Post[api.StackAnswer](stack.Client, path+"/pause", nil, http.StatusOK); now.Status != stacks.StatusPaused || !now.Paused {
		t.Fatalf("the stack is %+v", now)
	}
	commit := repository.Commit(one(compose(box(t, "web", "environment: [NEXT=1]"))))
	other.At(commit) // so this commit was looked at for both
	if now := stack.Until("it is behind", func(now api.StackAnswer) bool { return now.OutOfSync }); now.Revision != 1 || now.Status != stacks.StatusPaused {
		t.Errorf("the stack is %+v", now)
	}
	rig.Post[api.StackAnswer](stack.Client, path+"/resume", nil, http.StatusOK)
	stack.At(commit)
}

// G8: what is pushed during a deployment is deployed afterwards. G7: of many pushes the last wins.
func pushesDuringADeployment(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(slowly(t))))
	stack := repository.On("", "app")
	lastPhase(t, stack, api.DeploymentAnswer{ID: stack.First}, stacks.PhaseVerify, "")
	var last core.Commit
	const pushes = 100
	for i := range pushes {
		last = repository.Commit(one(compose(box(t, "slow", "environment: [NUMBER="+string(rune('a'+i%26))+string(rune('a'+i/26))+"]"))))
	}
	rig.Docker(t, "exec", stack.Container("slow").ID, "touch", "/well")
	stack.At(last)
	all := rig.Get[endpoint.Items[api.DeploymentAnswer]](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/deployments?limit=500").Items
	if len(all) > pushes/10 {
		t.Errorf("%d pushes made %d deployments", pushes, len(all))
	}
}

// O1: a deployment that failed for a passing reason is tried again by itself, and deploys.
func passingFailure(t *testing.T, s *rig.Server) {
	late := "berth-e2e/late:" + rig.Name()
	repository := s.Repository(one(compose(box(t, "web", "image: "+late, "pull_policy: never"))))
	stack := repository.On("", "app")
	if d := stack.Deployment(stack.First); d.State != stacks.DeploymentFailed {
		t.Fatalf("it ended %s", d.State)
	}
	if now := stack.Now(); now.Status != stacks.StatusError || now.RetryAt == nil {
		t.Errorf("the stack is %+v", now)
	}
	rig.Docker(t, "tag", rig.Image(t), late)
	t.Cleanup(func() { rig.Docker(t, "rmi", late) })
	stack.Until("it is deployed by itself", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive && now.Revision == 1 })
}
