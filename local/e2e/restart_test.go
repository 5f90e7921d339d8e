package e2e_test

import (
	"testing"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

func TestAServersRestartNeverRestartsContainers(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{LocalWorker: true})
	inside := s.InsideWorker()
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web", "volumes: [./site:/site:ro]", "environment: [SECRET]")), "app/site/index.html": "one"})
	stack := repository.Manual(inside, "app")
	stack.SetSecret("SECRET", "kept over restarts")
	stack.Synced()
	before := stack.Containers()
	s.Stop()
	wantAnew(t, before, stack.Containers())
	s.Run()
	if again := s.InsideWorker(); again != inside {
		t.Errorf("the worker inside came back as %s, it was %s", again, inside)
	}
	if now := stack.Now(); now.Status != stacks.StatusActive || now.Revision != 1 {
		t.Errorf("after the restart the stack shows %+v", now)
	}
	if d := stack.Synced(); d.Revision != 1 {
		t.Errorf("the same content is revision %d", d.Revision)
	}
	wantAnew(t, before, stack.Containers())
}

func TestADeploymentUnderWayEndsProperlyWhenTheServerRestarts(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	worker := s.Worker()
	repository := s.Repository(map[string]string{"slow/compose.yaml": compose(slowly(t)), "late/compose.yaml": compose(slowly(t))})
	slow, late := repository.On(worker.ID, "slow"), repository.On(worker.ID, "late")
	lastPhase(t, slow, api.DeploymentAnswer{ID: slow.First}, stacks.PhaseVerify, "")
	lastPhase(t, late, api.DeploymentAnswer{ID: late.First}, stacks.PhaseVerify, "")
	before := slow.Containers()
	s.Stop()
	// One becomes well while there is no server, the other afterwards.
	rig.Docker(t, "exec", before["slow"].ID, "touch", "/well")
	s.Run()
	worker.Online(true)
	rig.Docker(t, "exec", late.Container("slow").ID, "touch", "/well")
	for _, stack := range []*rig.Stack{slow, late} {
		if d := stack.Deployment(stack.First); d.State != stacks.DeploymentSucceeded || d.Revision != 1 {
			t.Errorf("it ended %s: %s", d.State, d.Error)
		}
		stack.Until("the stack is active", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive })
	}
	wantAnew(t, before, slow.Containers())
}
