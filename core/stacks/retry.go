package stacks

import (
	"time"

	"berth/core"
)

// The pauses between deployments that fail one after the other.
const (
	firstRetry = 30 * time.Second
	lastRetry  = 15 * time.Minute
)

// RetryAfter is how long a stack waits until a deployment that failed is tried again, after
// so many failures in a row: 30 seconds, doubled each time, at most 15 minutes. A new commit
// or a person's wish does not wait.
func RetryAfter(failures int) time.Duration {
	pause := firstRetry
	for range min(failures, 10) {
		pause *= 2
	}
	return min(pause, lastRetry)
}

// Retry is what is tried again after a failure: the wish of the deployment that failed.
type Retry struct {
	Trigger Trigger       `json:"trigger,omitempty"`
	Aim     Aim           `json:"aim,omitzero"`
	Options DeployOptions `json:"options,omitzero"`
	// Of is the deployment that failed, Attempt the number that the next one gets.
	Of      core.DeploymentID `json:"of,omitempty"`
	Attempt int               `json:"attempt,omitempty"`
	// Failed is the commit that failed, as long as the stack is in the folder that it was read from.
	Failed core.Commit `json:"failed,omitempty"`
}

// RetryOf returns what is tried again of a deployment that failed. Volumes that may have been made
// anew already are not thrown away a second time.
func RetryOf(d Deployment) Retry {
	r := Retry{Trigger: d.Trigger, Aim: d.Aim, Options: d.Options, Of: d.ID, Attempt: max(1, d.Attempt) + 1, Failed: d.Commit}
	if d.Aim == (Aim{}) && d.Options == (DeployOptions{}) {
		r.Trigger = TriggerPoll // nobody in person wants it any more
	}
	if Began(d.Phases) {
		r.Options.RecreateVolumes = false
	}
	return r
}

// ByItself reports whether it is tried again even where automatic sync is off: it is not about
// the branch's head.
func (r Retry) ByItself() bool { return r.Aim != (Aim{}) }
