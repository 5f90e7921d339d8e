package ui

import (
	"testing"
	"time"

	"berth/core/stacks"
)

// unheardDeployment is one that was being applied when the hub went away.
func unheardDeployment() stacks.Deployment {
	return stacks.Deployment{ID: "dep_1", Stack: "stk_1", State: stacks.DeploymentRunning, Trigger: stacks.TriggerPoll, Actor: "system", Revision: 13, Worker: "wrk_1", QueuedAt: before(10 * time.Minute), StartedAt: before(10 * time.Minute),
		Phases: []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseSucceeded, StartedAt: before(10 * time.Minute), DurationMS: 60_000},
			{Name: stacks.PhaseApply, State: stacks.PhaseRunning, StartedAt: before(9 * time.Minute)}}}
}

// unheardPage is its page meanwhile.
func unheardPage() deploymentPage {
	p := showDeployment(unheardDeployment(), sampleStack(), sampleNow)
	p.Worker = "hetzner-fsn-1"
	p.putUnheard(unheardDeployment())
	return p
}

func TestTheClockOfADeploymentStopsWithTheHub(t *testing.T) {
	running := unheardDeployment()
	ended, queued := running, stacks.Deployment{ID: "dep_2", State: stacks.DeploymentQueued, QueuedAt: before(10 * time.Minute)}
	ended.State, ended.FinishedAt = stacks.DeploymentSucceeded, before(8*time.Minute)
	away := hubNotice{Away: true, Since: at(before(5*time.Minute), sampleNow)}
	for name, c := range map[string]struct {
		d    stacks.Deployment
		hub  hubNotice
		took string
	}{
		"it runs and a hub is there":             {running, hubNotice{}, "10 min 00 s"},
		"it ran when the hub went away":          {running, away, "not known"},
		"it had ended when the hub went away":    {ended, away, "2 min 00 s"},
		"it had not begun when the hub was gone": {queued, away, ""},
	} {
		if got := lineOf(c.d, sampleNow, c.hub).Took; got != c.took {
			t.Errorf("%s: a list says %q, want %q", name, got, c.took)
		}
		p := showDeployment(c.d, sampleStack(), sampleNow)
		if c.hub.Away {
			p.putUnheard(c.d)
		}
		if p.Took != c.took || p.Unheard != (c.took == notKnown) {
			t.Errorf("%s: its page says %q, unheard %t; want %q", name, p.Took, p.Unheard, c.took)
		}
	}
	p := unheardPage()
	pull, apply := p.Phases[6], p.Phases[7]
	if pull.Took != "1 min 00 s" || pull.X != 0 || pull.W != 994 && pull.W != 1000 {
		t.Errorf("what had ended is shown as %+v", pull)
	}
	if apply.Took != "not known" || apply.W > 6 {
		t.Errorf("what ran when the hub went away is shown as %+v", apply)
	}
}

func TestADeploymentWaitsForNobodyWhoseStateIsNotKnown(t *testing.T) {
	p := deploymentPage{Open: true, Waits: "host-1"}
	p.putUnheard(stacks.Deployment{State: stacks.DeploymentQueued})
	if p.Waits != "" {
		t.Errorf("it is said to wait for %q, which nobody knows to be offline", p.Waits)
	}
}
