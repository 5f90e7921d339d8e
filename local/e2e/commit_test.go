package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// wellWhen makes a box healthy once the shell command succeeds.
func wellWhen(command string) string {
	return "healthcheck: {test: [CMD-SHELL, \"" + command + "\"], interval: 200ms, timeout: 2s, retries: 100}"
}

func commitBecomesContainers(t *testing.T, s *rig.Server) {
	file := compose(box(t, "web", wellWhen("true"), "network_mode: bridge"), box(t, "job"))
	file = strings.ReplaceAll(file, "    network_mode: bridge\n", "") // the stack's own network
	repository := s.Repository(one(file))
	stack := repository.On("", "app")
	d := stack.Deployed()
	head := repository.Now().Head
	if d.Commit != head || d.Revision != 1 || d.Trigger != stacks.TriggerAPI || d.WorkerID == "" {
		t.Errorf("the deployment is %+v, the head %s", d, head)
	}
	wanted := []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseLint, stacks.PhaseRender, stacks.PhasePolicy, stacks.PhaseSecrets,
		stacks.PhaseDispatch, stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify}
	for i, p := range d.Phases {
		if i >= len(wanted) || p.Name != wanted[i] || p.State != stacks.PhaseSucceeded && p.State != stacks.PhaseSkipped || p.StartedAt.IsZero() || p.DurationMS < 0 {
			t.Errorf("phase %d is %+v", i, p)
		}
	}
	if len(d.Phases) != len(wanted) {
		t.Errorf("%d phases, want %d", len(d.Phases), len(wanted))
	}
	checkLog(t, stack, d)
	checkContainers(t, stack, d)
	if now := stack.Now(); now.Status != stacks.StatusActive || now.Revision != 1 || now.Commit != head || now.OutOfSync {
		t.Errorf("the stack is %+v", now)
	}
	networks := rig.Docker(t, "network", "ls", "--filter", "label=com.docker.compose.project="+stack.Name, "--format", "{{.Name}}")
	if strings.TrimSpace(networks) != stack.Name+"_default" {
		t.Errorf("its networks are %q", networks)
	}
}

// checkLog sees that the log is numbered without gaps and read in pages.
func checkLog(t *testing.T, stack *rig.Stack, d api.DeploymentAnswer) {
	t.Helper()
	next, number := "", uint64(0)
	for {
		page := rig.Get[api.LogAnswer](stack.Client, "/api/custom/deployments/"+string(d.ID)+"/log?limit=2&after="+next)
		for _, piece := range page.Items {
			number++
			if piece.Number != number || piece.Text == "" || piece.At.IsZero() {
				t.Errorf("piece %d of the log is %+v", number, piece)
			}
		}
		if next = page.Next; len(page.Items) == 0 {
			break
		}
	}
	text := stack.LogOf(d.ID)
	for _, part := range []string{"fetch: commit " + d.Commit.Short(), "render: 2 compose services", "web", "every compose service is up"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing from the log:\n%s", part, text)
		}
	}
	if number < 5 {
		t.Errorf("the log has %d pieces", number)
	}
}

// checkContainers compares what the engine has with what the API shows.
func checkContainers(t *testing.T, stack *rig.Stack, d api.DeploymentAnswer) {
	t.Helper()
	have := stack.Containers()
	if len(have) != 2 {
		t.Fatalf("the engine has %d containers", len(have))
	}
	for name, c := range have {
		labels := c.Config.Labels
		if c.State.Status != "running" || labels["dev.berth.stack"] != string(stack.ID) || labels["dev.berth.revision"] != "1" ||
			labels["dev.berth.commit"] != string(d.Commit) || labels["dev.berth.deployment"] != string(d.ID) {
			t.Errorf("container of %s: %s, %v", name, c.State.Status, labels)
		}
	}
	shown := stack.Services()
	if len(shown.Items) != 2 || shown.ObservedAt == nil {
		t.Fatalf("the API shows %+v", shown)
	}
	web := shown.Items[slices.IndexFunc(shown.Items, func(s api.ServiceAnswer) bool { return s.Name == "web" })].Containers
	if len(web) != 1 || web[0].ID != have["web"].ID || web[0].State != "running" || web[0].Health != "healthy" || web[0].Revision != 1 {
		t.Errorf("the API shows %+v of web", web)
	}
}

func pollingPicksUpACommit(t *testing.T, s *rig.Server) {
	file := func(number string) string { return compose(box(t, "web", "environment:\n  NUMBER: "+`"`+number+`"`)) }
	repository := s.Repository(one(file("1")))
	stack := repository.On("", "app")
	stack.Deployed()
	first := stack.Container("web")
	commit := repository.Commit(one(file("2")))
	now := stack.At(commit)
	second := stack.Container("web")
	if now.Revision != 2 || second.ID == first.ID || second.Environment(t)["NUMBER"] != "2" {
		t.Errorf("the stack is %+v, the container %s with %v", now, second.ID, second.Environment(t))
	}
	decision := stack.Decisions()[0]
	if !decision.Deployed || decision.Trigger != stacks.TriggerPoll || decision.Commit != commit || decision.DeploymentID == "" || !strings.Contains(decision.Reason, "app changed at commit "+commit.Short()) {
		t.Errorf("the decision is %+v", decision)
	}
}

func onlyChangedStacks(t *testing.T, s *rig.Server) {
	files := map[string]string{"README.md": "nothing\n"}
	for _, folder := range []string{"changed", "same", "manual"} {
		files[folder+"/compose.yaml"] = compose(box(t, "web"))
	}
	repository := s.Repository(files)
	changed, same, manual := repository.On("", "changed"), repository.On("", "same"), repository.Manual("", "manual")
	changed.Deployed()
	same.Deployed()
	manual.Synced()
	before := map[string]string{"same": same.Container("web").ID, "manual": manual.Container("web").ID, "changed": changed.Container("web").ID}

	more := "environment: {MORE: '1'}"
	commit := repository.Commit(map[string]string{"changed/compose.yaml": compose(box(t, "web", more)), "manual/compose.yaml": compose(box(t, "web", more))})
	changed.At(commit)
	for _, c := range []struct {
		stack    *rig.Stack
		deployed bool
		reason   string
	}{
		{changed, true, "changed changed at commit " + commit.Short()},
		{same, false, "same at commit " + commit.Short() + " is as it was at the last look"},
		{manual, false, "manual changed at commit " + commit.Short() + ", but automatic sync is off"},
	} {
		d := c.stack.Decisions()[0]
		if d.Commit != commit || d.Deployed != c.deployed || !strings.Contains(d.Reason, c.reason) || d.Trigger != stacks.TriggerPoll {
			t.Errorf("the decision about %s is %+v", c.reason, d)
		}
	}
	if id := changed.Container("web").ID; id == before["changed"] {
		t.Error("the changed stack has its old container")
	}
	if same.Container("web").ID != before["same"] || manual.Container("web").ID != before["manual"] {
		t.Error("a container of a stack that was not to be deployed was made anew")
	}
	if now := manual.Now(); !now.OutOfSync || now.Status != stacks.StatusActive {
		t.Errorf("the stack without automatic sync shows %+v", now)
	}
	if now := same.Now(); now.OutOfSync || now.Revision != 1 {
		t.Errorf("the stack that did not change shows %+v", now)
	}
}

func syncByHand(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"))))
	stack := repository.Manual("", "app")
	if now := stack.Now(); stack.First != "" || now.Status != stacks.StatusNew {
		t.Fatalf("without automatic sync the stack is %+v", now)
	}
	d := stack.Synced()
	container := stack.Container("web").ID
	again := stack.Synced()
	if again.ID == d.ID || again.Revision != d.Revision || stack.Container("web").ID != container {
		t.Errorf("the same content gave revision %d after %d, container %s after %s", again.Revision, d.Revision, stack.Container("web").ID, container)
	}
	if problem := s.Client.Problem(http.StatusNotFound, http.MethodPost, "/api/custom/stacks/stk_0000000000000000000000/sync", nil); problem.Code != "stack.not_found" {
		t.Errorf("a sync of no stack: %+v", problem)
	}
}

func redeployRecreates(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(box(t, "web")))).On("", "app")
	stack.Deployed()
	before := stack.Container("web").ID
	d := rig.Post[api.DeploymentAnswer](stack.Client, "/api/custom/stacks/"+string(stack.ID)+"/redeploy?wait=60s", api.RedeployRequest{RecreateContainers: true}, http.StatusAccepted)
	if d.State != stacks.DeploymentSucceeded || d.Trigger != stacks.TriggerRedeploy || d.Revision != 1 || stack.Container("web").ID == before {
		t.Errorf("the redeploy is %+v", d)
	}
}

func cancelLeavesAlone(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"))))
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Container("web")
	commit := repository.Commit(one(compose(box(t, "web"), box(t, "never", wellWhen("false"), "command: [sh, -c, 'echo waiting; sleep 3600']"))))
	id := string(deploymentOf(t, stack, commit))
	lastPhase(t, stack, api.DeploymentAnswer{ID: core.DeploymentID(id)}, stacks.PhaseVerify, "")
	began := time.Now()
	d := rig.Post[api.DeploymentAnswer](stack.Client, "/api/custom/deployments/"+id+"/cancel?wait=30s", nil, http.StatusAccepted)
	if d.State != stacks.DeploymentCancelled || time.Since(began) > 15*time.Second {
		t.Errorf("after %s the deployment is %+v", time.Since(began), d)
	}
	if after := stack.Container("web"); after.ID != before.ID || after.State.StartedAt != before.State.StartedAt {
		t.Error("the container that was not changed was made anew")
	}
	if problem := stack.Client.Problem(http.StatusConflict, http.MethodPost, "/api/custom/deployments/"+id+"/cancel", nil); problem.Code != "deployment.ended" {
		t.Errorf("cancelling what has ended: %+v", problem)
	}
}

// deploymentOf waits until a commit has led to a deployment of the stack.
func deploymentOf(t *testing.T, stack *rig.Stack, commit core.Commit) (id core.DeploymentID) {
	t.Helper()
	rig.Until(t, rig.Soon, "a deployment of "+commit.Short(), func() (bool, string) {
		last := stack.Decisions()[0]
		id = last.DeploymentID
		return last.Commit == commit && last.Deployed, last.Reason
	})
	return id
}
