package ui

import (
	"net/url"
	"testing"

	"berth/core/jobs"
	"berth/core/stacks"
)

func TestTabsOfStatesKeepWhatElseIsAskedFor(t *testing.T) {
	at, _ := url.Parse("/deployments?stack=stk_1&after=dep_9&state=failed")
	tabs := stateTabs(at, stacks.DeploymentStates, deploymentBadges)
	if all := tabs[0]; all.Href != "/deployments?stack=stk_1" || all.Current {
		t.Errorf("all: %+v", all)
	}
	for i, state := range stacks.DeploymentStates {
		if got := tabs[i+1]; got.Href != "/deployments?stack=stk_1&state="+string(state) || got.Current != (state == stacks.DeploymentFailed) || got.Word == string(state) {
			t.Errorf("%s: %+v", state, got)
		}
	}
	if all := stateTabs(&url.URL{Path: "/job-runs"}, jobs.RunStates, runBadges)[0]; all.Href != "/job-runs" || !all.Current {
		t.Errorf("all runs: %+v", all)
	}
}
