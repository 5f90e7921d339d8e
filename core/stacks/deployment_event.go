package stacks

import (
	"slices"
	"time"
)

// DeploymentEvent is one transition of a deployment, as it was stored together with it.
type DeploymentEvent struct {
	Number int // 1, 2, … within the deployment
	At     time.Time
	From   DeploymentState // empty: the deployment was made
	To     DeploymentState // as From: it goes on, and the cause says what began
	Cause  string          // a fault code, or words for people
	Actor  string          // who caused it, as audit shows it; empty: Berth itself
}

// transitions are the states that may follow each state. What runs may begin something that is no
// state of its own: it is asked to stop, or an earlier revision is put back.
var transitions = map[DeploymentState][]DeploymentState{
	"":                {DeploymentQueued},
	DeploymentQueued:  {DeploymentRunning, DeploymentCancelled, DeploymentSuperseded},
	DeploymentRunning: {DeploymentRunning, DeploymentSucceeded, DeploymentFailed, DeploymentRolledBack, DeploymentCancelled, DeploymentLost},
}

// MayFollow reports whether a deployment may go from one state to another; the empty state is that
// of one that is not made yet.
func MayFollow(from, to DeploymentState) bool { return slices.Contains(transitions[from], to) }
