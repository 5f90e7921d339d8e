package store_test

import (
	"testing"

	"berth/core/stacks"
)

func TestAFailureBehindARepairIsTriedAgain(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(polled(id, "c2")))
	y.send(d, "c2")
	repair := y.queue(stacks.Ask{Stack: id, Trigger: stacks.TriggerDrift, Actor: "system", Aim: stacks.Aim{Revision: 1}})
	y.end(d.ID, stacks.DeploymentFailed)
	repair = y.start(repair)
	y.resend(repair, 1, y.w.ID)
	y.end(repair.ID, stacks.DeploymentSucceeded, observed(healthy...))
	st := y.is(id, stacks.StatusActive, "")
	if !st.OutOfSync || st.RetryAt.Before(y.at.Add(stacks.RetryAfter(0))) || st.Retries == 0 {
		t.Errorf("the head is not tried again: %+v", st)
	}
}

func TestWhatACancelledRollbackTookOutOfQuarantineGoesBack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d, _ := y.failsAfterApply(id, "c2")
	y.end(d.ID, stacks.DeploymentRolledBack)
	before := y.stack(id).Quarantine
	back := y.start(y.queue(rollback(id, 1)))
	y.end(back.ID, stacks.DeploymentCancelled)
	if st := y.stack(id); before.Tree == "" || st.Quarantine != before || !st.RetryAt.IsZero() {
		t.Errorf("the stack is %+v; want its quarantine as it was, %+v", st, before)
	}
}

func TestAResultThatComesAgainDoesNotEndARestore(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(polled(id, "c2")))
	cmd := y.send(d, "c2")
	word := func(o *stacks.Outcome) {
		failing(o)
		o.Command = cmd.ID
	}
	for range 2 {
		if y.end(d.ID, stacks.DeploymentFailed, word) {
			t.Fatal("the deployment has ended")
		}
	}
	if open := y.openCommand(y.w.ID); !open.Body.Restore || y.deployment(d.ID).State != stacks.DeploymentRunning {
		t.Errorf("the open command is %+v", open)
	}
}

func TestASuccessIsJudgedByItsContainers(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(wish(id)))
	y.send(d, "c1")
	y.end(d.ID, stacks.DeploymentSucceeded, observed(stacks.ContainerState{Service: "web", Container: "web-1", State: "exited", ExitCode: 1}))
	if st := y.stack(id); st.Status != stacks.StatusDegraded || st.Error == "" || st.Revision != 1 {
		t.Errorf("the stack is %+v", st)
	}
}
