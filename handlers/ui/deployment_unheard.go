package ui

import (
	"time"

	"berth/core/stacks"
)

// notKnown stands where a clock would run on though nobody hears what became of what it counts.
const notKnown = "not known"

// tookOf says how long a deployment took, or has taken so far. While no hub is heard of, nobody knows
// whether one that had begun still goes on.
func tookOf(d stacks.Deployment, now time.Time, hub hubNotice) string {
	if hub.Away && unheard(d) {
		return notKnown
	}
	return between(d.StartedAt, d.FinishedAt, now)
}

// unheard reports whether a hub alone could tell how a deployment goes.
func unheard(d stacks.Deployment) bool { return !d.State.Ended() && !d.StartedAt.IsZero() }

// putUnheard makes the page show no more of a deployment than was known when a hub was last heard of.
func (p *deploymentPage) putUnheard(d stacks.Deployment) {
	p.Waits = "" // whether the worker is there is not known either
	if !unheard(d) {
		return
	}
	p.Unheard, p.Took = true, notKnown
	p.Phases = phaseLines(d, lastHeard(d))
	for i, line := range p.Phases {
		if line.Badge == phaseBadges[stacks.PhaseRunning] {
			p.Phases[i].Took = notKnown
		}
	}
}

// lastHeard is the newest moment that a deployment's phases tell of.
func lastHeard(d stacks.Deployment) time.Time {
	last := d.StartedAt
	for _, p := range d.Phases {
		last = later(last, p.StartedAt.Add(time.Duration(p.DurationMS)*time.Millisecond))
	}
	return last
}
