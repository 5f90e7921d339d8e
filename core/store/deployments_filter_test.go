package store_test

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

func TestDeploymentsAreListedByState(t *testing.T) {
	y := openYard(t)
	web, shop := y.deployed("web", "c1"), y.deployed("shop", "c1")
	y.end(y.start(y.queue(wish(web))).ID, stacks.DeploymentFailed, coded("compose.invalid"))
	y.end(y.start(y.queue(wish(shop))).ID, stacks.DeploymentFailed, coded("compose.invalid"))
	y.start(y.queue(wish(shop)))
	for _, c := range []struct {
		stack core.StackID
		state stacks.DeploymentState
		want  []core.StackID // newest first
	}{
		{"", "", []core.StackID{shop, shop, web, shop, web}},
		{"", stacks.DeploymentFailed, []core.StackID{shop, web}},
		{"", stacks.DeploymentSucceeded, []core.StackID{shop, web}},
		{"", stacks.DeploymentRunning, []core.StackID{shop}},
		{"", stacks.DeploymentQueued, nil},
		{web, stacks.DeploymentFailed, []core.StackID{web}},
		{web, stacks.DeploymentRunning, nil},
		{shop, "", []core.StackID{shop, shop, shop}},
	} {
		var got []core.StackID
		ask := core.Page{Limit: 1}
		for {
			list, err := y.Deployments(t.Context(), stacks.DeploymentFilter{Stack: c.stack, State: c.state}, ask)
			y.must(err)
			for _, d := range list.Items {
				if got = append(got, d.Stack); c.state != "" && d.State != c.state {
					t.Errorf("%s is among %s", d.State, c.state)
				}
			}
			if ask.After = list.Next; ask.After == "" {
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of %q in state %q: %v, want %v", c.stack, c.state, got, c.want)
		}
	}
}
