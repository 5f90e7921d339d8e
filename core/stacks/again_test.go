package stacks

import "testing"

func TestAgain(t *testing.T) {
	held := Quarantine{Tree: "b", Commit: "c2"}
	for name, c := range map[string]struct {
		stack Stack
		open  []Deployment
		want  int
	}{
		"nothing is in quarantine":             {Stack{Revision: 3, SeenTree: "b"}, nil, 0},
		"the head is":                          {Stack{Revision: 3, SeenTree: "b", Quarantine: held}, nil, 3},
		"it is looked at again":                {Stack{Revision: 3, Quarantine: held}, nil, 3},
		"the head has moved on since":          {Stack{Revision: 3, SeenTree: "c", Quarantine: held}, nil, 0},
		"nothing ran before":                   {Stack{SeenTree: "b", Quarantine: held}, nil, 0},
		"a rollback is under way":              {Stack{Revision: 3, SeenTree: "b"}, []Deployment{{State: DeploymentRunning, Trigger: TriggerRollback, Aim: Aim{Revision: 2}}}, 2},
		"a rollback is being stopped":          {Stack{Revision: 3, SeenTree: "b"}, []Deployment{{State: DeploymentRunning, Trigger: TriggerRollback, Aim: Aim{Revision: 2}, Cancelling: true}}, 0},
		"one of the head is queued behind one": {Stack{Revision: 3}, []Deployment{{State: DeploymentRunning, Trigger: TriggerRollback, Aim: Aim{Revision: 2}}, {State: DeploymentQueued, Trigger: TriggerPoll}}, 2},
	} {
		if got := c.stack.Again(c.open); got != c.want {
			t.Errorf("%s: revision %d, want %d", name, got, c.want)
		}
		ask := c.stack.Aimed(Ask{Trigger: TriggerRedeploy}, c.open)
		if ask.Aim.Revision != c.want || c.stack.Releases(ask) != (c.want == 0) {
			t.Errorf("%s: the wish is %+v, releases %t", name, ask, c.stack.Releases(ask))
		}
		if sync := c.stack.Aimed(Ask{Trigger: TriggerManual}, c.open); sync.Aim != (Aim{}) || !c.stack.Releases(sync) {
			t.Errorf("%s: a sync aims at %+v", name, sync.Aim)
		}
	}
	if (Stack{}).Releases(Ask{Trigger: TriggerTransfer, Aim: Aim{Worker: "wrk_1"}}) || (Stack{}).Releases(Ask{Trigger: TriggerDrift}) || !(Stack{}).Releases(Ask{Trigger: TriggerPoll, SeenTree: "c"}) {
		t.Error("a move or a repair ends a quarantine, or a change of the folder does not")
	}
}

func TestWhatIsTriedAgainSaysSo(t *testing.T) {
	r := RetryOf(Deployment{ID: "dep_1", Trigger: TriggerPoll})
	if r.Of != "dep_1" || r.Attempt != 2 {
		t.Errorf("after the first: %+v", r)
	}
	ask := Ask{Stack: "stk_1", Trigger: r.Trigger, Actor: SystemActor, Retry: true, Of: r.Of, Attempt: r.Attempt}
	d := Cover(nil, ask).Deployment
	d.ID = "dep_2"
	if d.RetryOf != "dep_1" || d.Attempt != 2 || RetryOf(d).Attempt != 3 || RetryOf(d).Of != "dep_2" {
		t.Errorf("the second is %+v, then %+v", d, RetryOf(d))
	}
	mine := Cover([]Deployment{d}, Ask{Stack: "stk_1", Trigger: TriggerManual, Actor: "ada"}).Deployment
	if d.State != DeploymentQueued || mine.RetryOf != "" || mine.Attempt != 0 {
		t.Errorf("what somebody asked for is still a retry: %+v", mine)
	}
}

func TestWhatWasCancelledDidNotFail(t *testing.T) {
	phases := []Phase{{Name: PhaseFetch, State: PhaseSucceeded}, {Name: PhasePolicy, State: PhaseSkipped}, {Name: PhaseApply, State: PhaseFailed, Message: "stopped"}}
	d := Concluded(Deployment{Phases: phases}, Outcome{State: DeploymentCancelled})
	if d.Phases[0].State != PhaseSucceeded || d.Phases[1].State != PhaseSkipped || d.Phases[2].State != PhaseCancelled || d.Phases[2].Message != "stopped" || !Began(d.Phases) {
		t.Errorf("the phases are %+v", d.Phases)
	}
	if phases[2].State != PhaseFailed {
		t.Error("the given phases were changed")
	}
	if d := Concluded(Deployment{Phases: phases}, Outcome{State: DeploymentFailed}); d.Phases[2].State != PhaseFailed {
		t.Errorf("what failed is %+v", d.Phases)
	}
	restoring := Deployment{Phases: phases, Restore: Restore{Revision: 1, State: RestoreRunning}}
	if d := Concluded(restoring, Outcome{State: DeploymentCancelled}); d.Phases[2].State != PhaseFailed {
		t.Error("what failed before the restore was cancelled reads otherwise")
	}
}
