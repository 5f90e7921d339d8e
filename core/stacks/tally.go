package stacks

import (
	"slices"
	"time"
)

// Results are the states in which a deployment ends, those first that somebody should look at. They are
// what the counter berth_deployments_total calls result.
//
// What is counted by result means the same everywhere: a deployment that has ended, once, by its last state,
// and as taking Took. The counter of /metrics counts each end as its row is stored, by the process that
// stores it and since that began, and a scraper adds it up. Pages draw the past from the rows themselves:
// processes begin anew, there may be several or no hub, and the rows are there for every host.
var Results = []DeploymentState{DeploymentFailed, DeploymentLost, DeploymentRolledBack, DeploymentSucceeded, DeploymentCancelled, DeploymentSuperseded}

// Took is how long a deployment took since it was queued; 0 while it has not ended.
func (d Deployment) Took() time.Duration {
	if d.FinishedAt.IsZero() {
		return 0
	}
	return max(0, d.FinishedAt.Sub(d.QueuedAt))
}

// Span is a time in equal steps.
type Span struct {
	From  time.Time
	Every time.Duration
	Steps int
}

// LastDay is the hour of now and the 23 before it.
func LastDay(now time.Time) Span { return lately(now, time.Hour, 24) }

// LastFortnight is the day of now, in UTC, and the 13 before it.
func LastFortnight(now time.Time) Span { return lately(now, 24*time.Hour, 14) }

func lately(now time.Time, every time.Duration, steps int) Span {
	return Span{From: now.UTC().Truncate(every).Add(-time.Duration(steps-1) * every), Every: every, Steps: steps}
}

// Step is when a step of the span begins; step Steps is when the span ends.
func (s Span) Step(i int) time.Time { return s.From.Add(time.Duration(i) * s.Every) }

// MaxTimes is how many of the newest deployments tell how long deployments take.
const MaxTimes = 1000

// Tally is what became of the deployments that ended in a span.
type Tally struct {
	Span
	Ended []map[DeploymentState]int // one for each step; a result that did not come is not in it
	Times []time.Duration           // that the newest which succeeded took, at most MaxTimes, shortest first
}

// Total adds up the steps.
func (t Tally) Total() map[DeploymentState]int {
	total := map[DeploymentState]int{}
	for _, step := range t.Ended {
		for state, n := range step {
			total[state] += n
		}
	}
	return total
}

// Within is the time that so many percent of Times did not exceed, as the nearest rank; 0 without any.
func (t Tally) Within(percent int) time.Duration {
	if len(t.Times) == 0 {
		return 0
	}
	rank := (len(t.Times)*percent + 99) / 100
	return t.Times[min(max(rank, 1), len(t.Times))-1]
}

// NewTally makes a tally of a span in which nothing has ended.
func NewTally(span Span, times []time.Duration) Tally {
	t := Tally{Span: span, Ended: make([]map[DeploymentState]int, span.Steps), Times: slices.Sorted(slices.Values(times))}
	for i := range t.Ended {
		t.Ended[i] = map[DeploymentState]int{}
	}
	return t
}
