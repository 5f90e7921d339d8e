package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// A stack moves between two engines: up there, verified, then down here. Where it cannot be up
// there, it goes on here as if nothing had been.
func TestATransferMovesAStackBetweenEngines(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	here := s.Worker()
	engine := rig.StartEngine(t)
	there := s.WorkerProcess(kill.Program(t, "./hub/cmd/worker"), engine)
	repository := s.Repository(map[string]string{
		"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [TOKEN]")), "app/site/index.html": "moves along",
	})
	repository.Commit(map[string]string{"app/secrets.yaml": secretsFile(repository, map[string]string{"TOKEN": "canary-of-the-file"})})
	stack := repository.On(here.ID, "app")
	stack.Deployed()
	before := stack.Containers()
	checkEnvironment(t, before["web"], map[string]string{"TOKEN": "canary-of-the-file"})
	running := func() []string {
		return strings.Fields(engine.Docker("ps", "--quiet", "--filter", "label=com.docker.compose.project="+stack.Name))
	}

	same := s.Worker() // on the machine's engine too
	stack.Problem(http.StatusUnprocessableEntity, http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+"/transfer", map[string]any{"worker_id": same.ID})
	wantAnew(t, before, stack.Containers())

	d := wished(t, stack, "transfer", map[string]any{"worker_id": there})
	if d.State != stacks.DeploymentSucceeded || d.WorkerID != there || d.Revision != 1 || d.Trigger != stacks.TriggerTransfer {
		t.Fatalf("the transfer is %+v\n%s", d, stack.LogOf(d.ID))
	}
	rig.Until(t, rig.Deploying, "it is down here", func() (bool, string) { return len(stack.Containers()) == 0, "it runs" })
	ids := running()
	if len(ids) != 1 {
		t.Fatalf("there run %q", ids)
	}
	if page := engine.Docker("exec", ids[0], "cat", "/site/index.html"); page != "moves along" {
		t.Errorf("it shows %q", page)
	}
	if all := engine.Docker("exec", ids[0], "cat", "/proc/1/environ"); !strings.Contains(all, "TOKEN=canary-of-the-file\x00") {
		t.Errorf("it has the environment %q", all)
	}
	stack.Until("it is active there", func(now api.StackAnswer) bool {
		return now.WorkerID == there && now.Status == stacks.StatusActive && now.Revision == 1
	})
	commit := repository.Commit(map[string]string{"app/site/index.html": "goes on there"})
	stack.At(commit)
	if len(stack.Containers()) != 0 {
		t.Error("the next deployment came back here")
	}

	back := wished(t, stack, "transfer", map[string]any{"worker_id": here.ID})
	if back.State != stacks.DeploymentSucceeded {
		t.Fatalf("the way back ended %+v\n%s", back, stack.LogOf(back.ID))
	}
	rig.Until(t, rig.Deploying, "it is down there", func() (bool, string) { return len(running()) == 0, "it runs" })
	if web := stack.Container("web"); web.State.Status != "running" {
		t.Errorf("here it is %+v", web.State)
	}

	only := "berth-e2e/only-here:" + rig.Name()
	rig.Docker(t, "tag", rig.Image(t), only)
	t.Cleanup(func() { rig.Docker(t, "rmi", "--force", only) })
	stack.At(repository.Commit(map[string]string{"app/compose.yaml": compose(box(t, "web", "image: "+only, "pull_policy: never"))}))
	before = stack.Containers()
	failed := wished(t, stack, "transfer", map[string]any{"worker_id": there})
	if failed.State != stacks.DeploymentFailed || failed.Restore != nil {
		t.Fatalf("without the image it ended %+v", failed)
	}
	now := stack.Until("it goes on here", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive })
	if now.WorkerID != here.ID || now.RetryAt != nil {
		t.Errorf("the stack is %+v", now)
	}
	wantAnew(t, before, stack.Containers())
	rig.Until(t, rig.Deploying, "nothing is left there", func() (bool, string) { return len(running()) == 0, "it runs" })
}
