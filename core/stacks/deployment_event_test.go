package stacks

import "testing"

func TestWhatHasEndedGoesNowhere(t *testing.T) {
	all := []DeploymentState{DeploymentQueued, DeploymentRunning, DeploymentSucceeded, DeploymentFailed, DeploymentRolledBack, DeploymentCancelled, DeploymentSuperseded, DeploymentLost}
	for _, from := range all {
		follows := 0
		for _, to := range all {
			if MayFollow(from, to) {
				follows++
			}
		}
		if from.Ended() != (follows == 0) {
			t.Errorf("%d states may follow %s", follows, from)
		}
		if MayFollow("", from) != (from == DeploymentQueued) {
			t.Errorf("one that is made as %s: %v", from, MayFollow("", from))
		}
		if reached := MayFollow(DeploymentQueued, from) || MayFollow(DeploymentRunning, from) || from == DeploymentQueued; !reached {
			t.Errorf("%s cannot be reached", from)
		}
	}
}
