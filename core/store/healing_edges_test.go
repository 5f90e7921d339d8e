package store_test

import (
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// A repair never goes behind a newer deployment: it would put the older revision back.
func TestARepairGivesWayToADeployment(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	due := y.stack(id).HealAt
	d := y.start(y.queue(polled(id, "c2")))
	y.at = due
	if n, err := y.QueueHeals(t.Context()); n != 0 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	y.send(d, "c2")
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	y.at = due.Add(time.Hour)
	if n, err := y.QueueHeals(t.Context()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if st := y.is(id, stacks.StatusActive, ""); st.Revision != 2 || !st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}
}

// A repair that fails is tried again as a repair, with and without automatic sync, until it works.
func TestAFailedRepairStaysARepair(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	off := false
	_, err := y.UpdateStack(t.Context(), id, stacks.Change{AutoSync: &off}, someone)
	y.must(err)
	y.at = y.stack(id).HealAt
	if n, err := y.QueueHeals(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	for range 3 {
		all := y.history(id)
		d := all[len(all)-1]
		if d.Trigger != stacks.TriggerDrift || d.Aim.Revision != 1 || d.State != stacks.DeploymentQueued {
			t.Fatalf("the repair is %+v", d)
		}
		y.end(y.start(d).ID, stacks.DeploymentFailed)
		y.at = y.stack(id).RetryAt
		if n, err := y.QueueRetries(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
}

// What hands did is seen though the newest commit cannot be deployed.
func TestDriftIsSeenBehindAFailure(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	m := stacks.DefaultManifest()
	m.SelfHeal = true
	y.manifest(id, 1, m)
	y.end(y.start(y.queue(polled(id, "c2"))).ID, stacks.DeploymentFailed) // nothing was touched
	y.saw(true, nil, id)
	if st := y.is(id, stacks.StatusError, "it did not work"); !st.Drifted || st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}
	kept := y.deployed("kept", "c1")
	m.OnFailure = stacks.OnFailureKeep
	d := y.start(y.queue(polled(kept, "c2")))
	y.send(d, "c2")
	y.manifest(kept, 2, m)
	y.end(d.ID, stacks.DeploymentFailed, failing)
	y.saw(false, []stacks.Observation{{Stack: kept, Containers: nil}}, kept)
	if st := y.is(kept, stacks.StatusError, "web is not healthy"); st.Drifted {
		t.Errorf("what failed and was kept is taken for drift: %+v", st)
	}
}

// A retry asks for what failed, not for less.
func TestARetryKeepsItsOptions(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	ask := wish(id)
	ask.Trigger, ask.Options = stacks.TriggerRedeploy, stacks.DeployOptions{RecreateContainers: true, RecreateVolumes: true}
	y.end(y.start(y.queue(ask)).ID, stacks.DeploymentFailed)
	y.at = y.stack(id).RetryAt
	if n, err := y.QueueRetries(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	all := y.history(id)
	d := all[len(all)-1]
	if d.Options != ask.Options || d.Trigger != stacks.TriggerRedeploy || !d.Automatic() {
		t.Errorf("what is tried again is %+v", d)
	}
	d.Phases = []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseFailed}}
	if again := stacks.RetryOf(d); again.Options.RecreateVolumes || !again.Options.RecreateContainers {
		t.Errorf("after volumes may have been made anew: %+v", again)
	}
}

// A rollback holds even though a newer commit was queued when it was asked for.
func TestARollbackHoldsWhatWasQueuedBack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	running := y.start(y.queue(polled(id, "c2")))
	y.queue(polled(id, "c3"))
	y.send(running, "c2")
	back := y.queue(rollback(id, 1))
	y.end(running.ID, stacks.DeploymentSucceeded, observed(healthy...))
	back = y.start(back)
	y.resend(back, 1, y.w.ID)
	y.end(back.ID, stacks.DeploymentSucceeded, observed(healthy...))
	st := y.stack(id)
	if v := stacks.Decide(st, stacks.Sight{Commit: "c3", Tree: "tree of c3"}); v.Deploy {
		t.Errorf("polling deploys what the rollback displaced: %+v, the stack is %+v", v, st)
	}
}

// What was not taken down after a transfer is taken down later, again and again.
func TestATakedownIsTriedAgain(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(transfer(id, y.other.ID)))
	y.resend(d, 1, y.other.ID)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	for attempt := 1; attempt <= 3; attempt++ {
		c := y.openCommand(y.w.ID)
		if c.Attempt != attempt || c.State != stacks.CommandQueued {
			t.Fatalf("attempt %d is %+v", attempt, c)
		}
		if attempt > 1 && !c.DeadlineAt.After(y.at) {
			t.Errorf("it is asked for again without a pause, at %v", c.DeadlineAt)
		}
		y.must(y.EndTeardown(t.Context(), c, "the engine does not answer", y.tick()))
		if waiting, err := y.WorkersWithQueuedCommands(t.Context()); err != nil || len(waiting) != 0 {
			t.Errorf("workers with something to be sent now: %v, %v", waiting, err)
		}
	}
	y.must(y.EndTeardown(t.Context(), y.openCommand(y.w.ID), "", y.tick()))
	reasons := strings.Join(y.reasons(id), "\n")
	if strings.Count(reasons, "could not be taken down") != 1 || !strings.Contains(reasons, "was taken down") {
		t.Errorf("decisions are %s", reasons)
	}
}

// Two workers that have not said which engine they use may share one.
func TestUnknownEnginesMoveNothing(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.exec(t, `UPDATE workers SET engine = ''`)
	_, err := y.QueueDeployment(t.Context(), transfer(id, y.other.ID), someone)
	y.refused("unknown engines", err, "stack.transfer")
	y.exec(t, `UPDATE workers SET engine = hostname`)
	d := y.start(y.queue(transfer(id, y.other.ID)))
	y.resend(d, 1, y.other.ID)
	y.exec(t, `UPDATE workers SET engine = ''`)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	for _, worker := range []core.WorkerID{y.w.ID, y.other.ID} {
		if open, err := y.OpenCommands(t.Context(), worker); err != nil || len(open) != 0 {
			t.Errorf("asked for is %+v, %v", open, err)
		}
	}
}
