package store_test

import (
	"testing"

	"berth/core/stacks"
)

func TestARedeployOfWhatWasRolledBackTo(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.deploy(id, "c2")
	back := y.start(y.queue(rollback(id, 1)))
	y.resend(back, 1, y.w.ID)
	y.end(back.ID, stacks.DeploymentSucceeded, observed(healthy...))
	held := y.stack(id).Quarantine
	ask := wish(id)
	ask.Trigger, ask.Options = stacks.TriggerRedeploy, stacks.DeployOptions{RecreateContainers: true}
	d := y.queue(ask)
	if d.Aim != (stacks.Aim{Revision: 1}) || !d.Options.RecreateContainers || y.stack(id).Quarantine != held {
		t.Errorf("the redeploy is %+v, the quarantine %+v", d, y.stack(id).Quarantine)
	}
	d = y.start(d)
	y.resend(d, 1, y.w.ID)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if st := y.is(id, stacks.StatusActive, ""); st.Revision != 1 || held.Tree == "" || st.Quarantine != held || !st.OutOfSync {
		t.Errorf("the stack is %+v", st)
	}
	if d := y.queue(wish(id)); d.Aim != (stacks.Aim{}) || y.stack(id).Quarantine.Tree != "" {
		t.Errorf("a sync is %+v", d)
	}
}

func TestWhoCancelledIsKept(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(polled(id, "c2")))
	other := someone
	other.Name = "bob@example.org"
	for _, by := range []string{someone.Name, other.Name} {
		who := someone
		who.Name = by
		now, err := y.CancelDeployment(t.Context(), d.ID, who)
		if err != nil || !now.Cancelling || now.CancelledBy != someone.Name {
			t.Errorf("it is being cancelled by %q, %v; want the first who asked", now.CancelledBy, err)
		}
	}
	y.send(d, "c2")
	y.end(d.ID, stacks.DeploymentCancelled, func(o *stacks.Outcome) {
		o.Phases = []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseSucceeded}, {Name: stacks.PhaseApply, State: stacks.PhaseFailed}}
	})
	if d = y.deployment(d.ID); d.CancelledBy != someone.Name || d.Phases[1].State != stacks.PhaseCancelled {
		t.Errorf("the deployment is %+v", d)
	}
	queued := y.queue(wish(id))
	if now, err := y.CancelDeployment(t.Context(), queued.ID, other); err != nil || now.CancelledBy != other.Name || now.State != stacks.DeploymentCancelled {
		t.Errorf("the queued one is %+v, %v", now, err)
	}
}

func TestRetriesAreCounted(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	first := y.start(y.queue(polled(id, "c2")))
	last := first
	for attempt := 2; attempt <= 3; attempt++ {
		y.end(last.ID, stacks.DeploymentFailed)
		y.at = y.stack(id).RetryAt
		if n, err := y.QueueRetries(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		all := y.history(id)
		d := y.start(all[len(all)-1])
		if d.RetryOf != last.ID || d.Attempt != attempt {
			t.Errorf("attempt %d is %+v", attempt, d)
		}
		last = d
	}
	if first.RetryOf != "" || first.Attempt != 0 {
		t.Errorf("the first is %+v", first)
	}
	y.send(last, "c2")
	y.end(last.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if d := y.queue(polled(id, "c3")); d.RetryOf != "" || d.Attempt != 0 {
		t.Errorf("a new commit is %+v", d)
	}
}

func TestWhichRevisionsRanWell(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	ran := y.at
	d, _ := y.failsAfterApply(id, "c2")
	all, err := y.Revisions(t.Context(), id, 0, 10)
	if err != nil || len(all) != 2 || !all[0].VerifiedAt.IsZero() || !all[1].VerifiedAt.Equal(ran) {
		t.Fatalf("the revisions are %+v, %v", all, err)
	}
	y.end(d.ID, stacks.DeploymentRolledBack, observed(healthy...))
	if one, err := y.Revision(t.Context(), id, 1); err != nil || !one.VerifiedAt.Equal(y.at) {
		t.Errorf("what was put back is %+v, %v; want it verified at %s", one, err, y.at)
	}
}
