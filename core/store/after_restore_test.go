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
