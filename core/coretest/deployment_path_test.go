package coretest

import (
	"testing"
	"time"

	"berth/core/stacks"
)

func TestLegalPath(t *testing.T) {
	type states = []stacks.DeploymentState
	restored := stacks.Restore{Revision: 3}
	for name, c := range map[string]struct {
		path    states
		state   stacks.DeploymentState
		restore stacks.Restore
		change  func([]stacks.DeploymentEvent)
		legal   bool
	}{
		"it succeeds":              {path: states{"queued", "running", "succeeded"}, state: "succeeded", legal: true},
		"it is put back":           {path: states{"queued", "running", "running", "rolled_back"}, state: "rolled_back", restore: restored, legal: true},
		"none":                     {state: "queued"},
		"the end is missing":       {path: states{"queued", "running"}, state: "failed"},
		"it runs at once":          {path: states{"running"}, state: "running"},
		"it ends twice":            {path: states{"queued", "running", "failed", "failed"}, state: "failed"},
		"it fails without running": {path: states{"queued", "failed"}, state: "failed"},
		"no restore is told of":    {path: states{"queued", "running", "rolled_back"}, state: "rolled_back", restore: restored},
		"one that there was not":   {path: states{"queued", "running", "running"}, state: "running"},
		"a gap": {path: states{"queued", "running"}, state: "running",
			change: func(e []stacks.DeploymentEvent) { e[1].Number = 3 }},
		"no cause": {path: states{"queued"}, state: "queued",
			change: func(e []stacks.DeploymentEvent) { e[0].Cause = "" }},
	} {
		events, at := []stacks.DeploymentEvent{}, stacks.DeploymentState("")
		for i, to := range c.path {
			events = append(events, stacks.DeploymentEvent{Number: i + 1, At: time.Unix(1, 0), From: at, To: to, Cause: "why"})
			at = to
		}
		if c.change != nil {
			c.change(events)
		}
		if err := LegalPath(stacks.Deployment{ID: "dep_1", State: c.state, Restore: c.restore}, events); (err == nil) != c.legal {
			t.Errorf("%s: %v", name, err)
		}
	}
}
