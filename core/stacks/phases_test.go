package stacks

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestSetPhase(t *testing.T) {
	fetched := Phase{Name: PhaseFetch, State: PhaseSucceeded, StartedAt: noon, DurationMS: 1000, Message: "commit c0ffee"}
	linting := Phase{Name: PhaseLint, State: PhaseRunning, StartedAt: noon.Add(time.Second)}
	later := noon.Add(3 * time.Second)
	local := later.In(time.FixedZone("far", 3600))
	for name, c := range map[string]struct {
		name    PhaseName
		state   PhaseState
		message string
		want    []Phase
	}{
		"a new phase starts now, in UTC": {PhaseRender, PhaseRunning, "", []Phase{fetched, linting, {Name: PhaseRender, State: PhaseRunning, StartedAt: later}}},
		"a new phase may be skipped at once": {PhasePolicy, PhaseSkipped, "none", []Phase{fetched, linting,
			{Name: PhasePolicy, State: PhaseSkipped, StartedAt: later, Message: "none"}}},
		"one that ends gets its duration": {PhaseLint, PhaseFailed, "bad", []Phase{fetched,
			{Name: PhaseLint, State: PhaseFailed, StartedAt: linting.StartedAt, DurationMS: 2000, Message: "bad"}}},
		"one that goes on says more": {PhaseLint, PhaseRunning, "half", []Phase{fetched,
			{Name: PhaseLint, State: PhaseRunning, StartedAt: linting.StartedAt, Message: "half"}}},
		"one that begins anew starts now": {PhaseFetch, PhaseRunning, "", []Phase{{Name: PhaseFetch, State: PhaseRunning, StartedAt: later}, linting}},
	} {
		t.Run(name, func(t *testing.T) {
			before := []Phase{fetched, linting}
			got := SetPhase(before, c.name, c.state, c.message, local)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
			if !reflect.DeepEqual(before, []Phase{fetched, linting}) {
				t.Errorf("the input became %+v", before)
			}
		})
	}
	if got := SetPhase(nil, PhaseFetch, PhaseRunning, "", noon); len(got) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestSetPhaseKeepsItsHandsOffSpareRoom(t *testing.T) {
	room := make([]Phase, 1, 10)
	room[0] = Phase{Name: PhaseFetch, State: PhaseRunning}
	a := SetPhase(room, PhaseLint, PhaseRunning, "a", noon)
	b := SetPhase(room, PhaseLint, PhaseRunning, "b", noon)
	if a[1].Message != "a" || b[1].Message != "b" {
		t.Error("two results share their memory")
	}
}

func TestFailRunning(t *testing.T) {
	before := []Phase{
		{Name: PhaseFetch, State: PhaseSucceeded, StartedAt: noon, DurationMS: 7, Message: "ok"},
		{Name: PhasePull, State: PhaseRunning, StartedAt: noon},
		{Name: PhaseApply, State: PhaseRunning, StartedAt: noon.Add(time.Minute), Message: "half"},
	}
	kept := append([]Phase(nil), before...)
	want := []Phase{before[0],
		{Name: PhasePull, State: PhaseFailed, StartedAt: noon, DurationMS: 5000, Message: "lost"},
		{Name: PhaseApply, State: PhaseFailed, StartedAt: noon.Add(time.Minute), Message: "lost"}, // its start lies ahead: a clock was set back
	}
	if got := FailRunning(before, "lost", noon.Add(5*time.Second)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(before, kept) {
		t.Errorf("the input became %+v", before)
	}
	if got := FailRunning(nil, "lost", noon); len(got) != 0 {
		t.Errorf("of nothing came %+v", got)
	}
}

func TestDeploymentStates(t *testing.T) {
	for state, ended := range map[DeploymentState]bool{
		DeploymentQueued: false, DeploymentRunning: false, DeploymentSucceeded: true, DeploymentFailed: true,
		DeploymentRolledBack: true, DeploymentCancelled: true, DeploymentSuperseded: true, DeploymentLost: true,
	} {
		if state.Ended() != ended {
			t.Errorf("%s: ended is %v", state, !ended)
		}
		if !slices.Contains(DeploymentStates, state) {
			t.Errorf("%s is none of all states", state)
		}
	}
}
