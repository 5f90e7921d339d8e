package ui

import (
	"reflect"
	"testing"

	"berth/core/stacks"
)

func TestStripesShowPhasesOnOneScale(t *testing.T) {
	phase := func(name stacks.PhaseName, ms int64) stacks.Phase { return stacks.Phase{Name: name, DurationMS: ms} }
	all := []stacks.Deployment{
		{State: stacks.DeploymentRunning, Phases: []stacks.Phase{phase(stacks.PhaseFetch, 100)}},
		{State: stacks.DeploymentSucceeded, Phases: []stacks.Phase{phase(stacks.PhaseFetch, 500), phase(stacks.PhaseLint, 500), phase(stacks.PhasePull, 5000), phase(stacks.PhaseApply, 2000), phase(stacks.PhaseVerify, 2000)}},
		{State: stacks.DeploymentFailed, Phases: []stacks.Phase{phase(stacks.PhaseFetch, 1000), phase(stacks.PhaseApply, 1)}},
		{State: stacks.DeploymentSuperseded},
	}
	want := []phaseStripe{{},
		{"prepare 1.0 s, pull images 5.0 s, apply 2.0 s, wait until healthy 2.0 s", []stripePart{{0, 100, "prepare"}, {100, 500, "pull"}, {600, 200, "apply"}, {800, 200, "verify"}}},
		{"prepare 1.0 s, apply 1 ms", []stripePart{{0, 100, "prepare"}, {100, 4, "apply"}}}, {}}
	if got := stripes(all); !reflect.DeepEqual(got, want) {
		t.Errorf("drawn is %+v, want %+v", got, want)
	}
	if got := stripes(all[3:]); !reflect.DeepEqual(got, []phaseStripe{{}}) {
		t.Errorf("of one that did nothing %+v is drawn", got)
	}
}
