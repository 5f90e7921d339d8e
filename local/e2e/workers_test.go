package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// lastPhase waits until a deployment is in a phase whose message has this text.
func lastPhase(t *testing.T, stack *rig.Stack, d api.DeploymentAnswer, phase stacks.PhaseName, text string) {
	t.Helper()
	rig.Until(t, rig.Deploying, "phase "+string(phase), func() (bool, string) {
		now := rig.Get[api.DeploymentDetail](stack.Client, "/api/custom/deployments/"+string(d.ID))
		if len(now.Phases) == 0 || now.State != stacks.DeploymentRunning {
			return false, string(now.State) + " " + now.Error
		}
		last := now.Phases[len(now.Phases)-1]
		return last.Name == phase && last.State == stacks.PhaseRunning && strings.Contains(last.Message, text), string(last.Name) + ": " + last.Message
	})
}

func TestADeploymentWaitsVisiblyForAWorkerThatIsOffline(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	worker := s.Worker()
	repository := s.Repository(one(compose(box(t, "web"))))
	stack := repository.On(worker.ID, "app")
	stack.Deployed()
	before := stack.Containers()
	worker.Stop()
	worker.Online(false)
	wantAnew(t, before, stack.Containers())

	commit := repository.Commit(one(compose(box(t, "web", "environment: {NUMBER: '2'}"))))
	d := api.DeploymentAnswer{ID: deploymentOf(t, stack, commit)}
	lastPhase(t, stack, d, stacks.PhaseDispatch, "worker "+worker.Hostname()+" is offline; the deployment waits for it")
	if now := stack.Now(); now.Status != stacks.StatusSyncing || !now.OutOfSync || now.Revision != 1 {
		t.Errorf("meanwhile the stack shows %+v", now)
	}
	for _, path := range []string{"/stop", "/logs"} {
		method := map[string]string{"/stop": http.MethodPost, "/logs": http.MethodGet}[path]
		problem := s.Client.Problem(http.StatusServiceUnavailable, method, "/api/custom/stacks/"+string(stack.ID)+"/services/web"+path, nil)
		if problem.Code != "worker.offline" || !strings.Contains(problem.Detail, "go on running") {
			t.Errorf("%s meanwhile: %+v", path, problem)
		}
	}
	wantAnew(t, before, stack.Containers())

	worker.Run()
	now := stack.At(commit)
	if now.Revision != 2 {
		t.Errorf("the stack shows %+v", now)
	}
	if done := stack.Deployment(d.ID); done.State != stacks.DeploymentSucceeded {
		t.Errorf("the deployment that waited ended %s", done.State)
	}
}

func TestAWorkersRestartNeverRestartsContainers(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	worker := s.Worker()
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [SECRET]"), box(t, "stopped")), "app/site/index.html": "one"})
	stack := repository.Manual(worker.ID, "app")
	stack.SetSecret("SECRET", "a value")
	stack.Synced()
	stack.Act("stopped", "stop")
	before := stack.Containers()
	connected := worker.Now().ConnectedAt
	worker.Stop()
	worker.Online(false)
	worker.Run()
	worker.Online(true)
	if again := worker.Now(); again.ID != worker.ID || again.ConnectedAt.Equal(*connected) {
		t.Errorf("the worker came back as %+v", again)
	}
	shows(t, stack, "stopped", "exited")
	wantAnew(t, before, stack.Containers())
	// What it knew before is still good: the same revision changes nothing, and mounts stay.
	if got := stack.Container("web").Read(t, "/site/index.html"); got != "one" {
		t.Errorf("the mounted file reads %q", got)
	}
	stack.Act("stopped", "start")
	wantAnew(t, before, stack.Containers(), "stopped")
	stack.Synced()
	if after := stack.Container("web"); after.ID != before["web"].ID || after.State.StartedAt != before["web"].State.StartedAt {
		t.Error("a sync of the same revision made a container anew")
	}
}

// slowly is a compose service that is well only once somebody says so.
func slowly(t *testing.T) string {
	return box(t, "slow", wellWhen("test -f /well"))
}

func TestADeploymentUnderWayEndsProperlyWhenItsWorkerRestarts(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	worker := s.Worker()
	stack := s.Repository(one(compose(slowly(t), box(t, "web")))).On(worker.ID, "app")
	d := api.DeploymentAnswer{ID: stack.First}
	lastPhase(t, stack, d, stacks.PhaseVerify, "")
	before := stack.Containers()
	worker.Stop()
	worker.Online(false)
	wantAnew(t, before, stack.Containers())
	worker.Run()
	worker.Online(true)
	rig.Docker(t, "exec", before["slow"].ID, "touch", "/well")
	if done := stack.Deployment(d.ID); done.State != stacks.DeploymentSucceeded || done.Revision != 1 {
		t.Errorf("it ended %s: %s", done.State, done.Error)
	}
	wantAnew(t, before, stack.Containers())
}

func TestRevokeClosesTheLinkWithinASecond(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	worker, other := s.Worker(), s.Worker()
	stack := s.Repository(one(compose(box(t, "web")))).On(worker.ID, "app")
	stack.Deployed()
	before := stack.Containers()
	began := time.Now()
	rig.Post[api.WorkerAnswer](s.Client, "/api/custom/workers/"+string(worker.ID)+"/revoke", nil, http.StatusOK)
	rig.Until(t, time.Second-time.Since(began), "the link is closed", func() (bool, string) {
		return worker.Log.Has("link to the hub was lost") && s.Log.Has("worker left", string(worker.ID)) && !worker.Now().Online, worker.Log.Tail(3)
	})
	rig.Until(t, rig.Soon, "the worker is refused", func() (bool, string) {
		return worker.Log.Has("there will be no link to the hub until somebody acts", "revoked", "make a new token"), worker.Log.Tail(3)
	})
	if now := worker.Now(); !now.Revoked || now.Online {
		t.Errorf("the worker shows %+v", now)
	}
	worker.Stop()
	worker.Log = &rig.Log{}
	worker.Run()
	rig.Until(t, rig.Soon, "the worker is refused after a restart", func() (bool, string) {
		return worker.Log.Has("there will be no link to the hub until somebody acts"), worker.Log.Tail(3)
	})
	other.Online(true)
	wantAnew(t, before, stack.Containers())
	d := stack.Sync()
	if d.State != stacks.DeploymentFailed || !strings.Contains(d.Error, "revoked") && !strings.Contains(d.Error, "does not exist") {
		t.Errorf("a sync afterwards ended %s: %s", d.State, d.Error)
	}
}
