package store_test

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

// TestWhatWasOpenInABackupEnds: what ran and what waited alike, and what waited behind one that ran.
func TestWhatWasOpenInABackupEnds(t *testing.T) {
	y := openYard(t)
	one, two := y.deployed("one", "c1"), y.deployed("two", "c1")
	running := y.start(y.queue(polled(one, "c2")))
	y.send(running, "c2")
	waiting := y.queue(polled(two, "c2"))
	y.queue(polled(one, "c3")) // covered once the one that runs has ended
	y.must(y.AfterRestore(t.Context()))
	for id, want := range map[core.DeploymentID]stacks.DeploymentState{running.ID: stacks.DeploymentFailed, waiting.ID: stacks.DeploymentCancelled} {
		if d := y.deployment(id); d.State != want || d.ErrorCode != "backup.restored" || d.Error == "" {
			t.Errorf("it is %+v, want %s", d, want)
		}
	}
	for _, d := range slices.Concat(y.history(one), y.history(two)) {
		if !d.State.Ended() {
			t.Errorf("%s is still open: %s", d.ID, d.State)
		}
	}
}

// TestWhatRunsOfAnInterruptedDeploymentIsShownAfterARestore: the deployment went on, and was done, after the backup was made.
func TestWhatRunsOfAnInterruptedDeploymentIsShownAfterARestore(t *testing.T) {
	y := openYard(t)
	web, first := y.deployed("web", "c1"), y.add("first")
	for _, id := range []core.StackID{web, first} {
		d := y.start(y.queue(polled(id, "c2")))
		y.send(d, "c2")
	}
	y.must(y.AfterRestore(t.Context()))
	later := slices.Clone(healthy)
	later[0].Revision, later[0].StartedAt = y.stack(web).Revision+1, y.tick()
	y.saw(true, []stacks.Observation{{Stack: web, Containers: later}, {Stack: first, Containers: later}}, first, web)
	for _, id := range []core.StackID{web, first} {
		st := y.is(id, stacks.StatusError, "It was under way when the backup was made")
		if !st.Drifted || len(st.Drift) != len(healthy) || st.Drift[0].Kind != stacks.DifferenceChanged || !st.HealAt.IsZero() {
			t.Errorf("the stack is %+v", st)
		}
	}
	y.saw(true, []stacks.Observation{{Stack: web, Containers: healthy}, {Stack: first, Containers: nil}}, first, web)
	if st := y.stack(web); st.Drifted || st.Status != stacks.StatusError {
		t.Errorf("with the revision that was in place it is %+v", st)
	}
	y.saw(true, []stacks.Observation{{Stack: web, Containers: later}}, web)
	y.tick()
	y.end(y.start(y.queue(wish(web))).ID, stacks.DeploymentSucceeded)
	if st := y.stack(web); st.Drifted || len(st.Drift) > 0 {
		t.Errorf("after a deployment it is %+v", st)
	}
}
