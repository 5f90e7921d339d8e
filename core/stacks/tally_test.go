package stacks

import (
	"slices"
	"testing"
	"time"
)

func TestResultsAreTheStatesThatAreFinal(t *testing.T) {
	for _, state := range []DeploymentState{DeploymentQueued, DeploymentRunning, DeploymentSucceeded, DeploymentFailed, DeploymentRolledBack,
		DeploymentCancelled, DeploymentSuperseded, DeploymentLost} {
		if slices.Contains(Results, state) != state.Ended() {
			t.Errorf("%s has ended: %t, and is among the results: %t", state, state.Ended(), !state.Ended())
		}
	}
}

func TestADeploymentTookTheTimeSinceItWasQueued(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, d := range map[time.Duration]Deployment{
		0:                {QueuedAt: at, StartedAt: at.Add(time.Second)},
		90 * time.Second: {QueuedAt: at, StartedAt: at.Add(time.Minute), FinishedAt: at.Add(90 * time.Second)},
	} {
		if got := d.Took(); got != want {
			t.Errorf("%+v took %s, want %s", d, got, want)
		}
	}
	if back := (Deployment{QueuedAt: at, FinishedAt: at.Add(-time.Second)}).Took(); back != 0 {
		t.Errorf("with a clock that was set back it took %s", back)
	}
}

func TestSpansEndWithTheStepOfNow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 34, 56, 7, time.FixedZone("elsewhere", 5*3600+1800)) // 07:04:56 UTC
	day, fortnight := LastDay(now), LastFortnight(now)
	if want := time.Date(2026, 2, 28, 8, 0, 0, 0, time.UTC); !day.From.Equal(want) || day.Steps != 24 || !day.Step(24).Equal(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("the last day is %+v, want it from %s", day, want)
	}
	if want := time.Date(2026, 2, 16, 0, 0, 0, 0, time.UTC); !fortnight.From.Equal(want) || fortnight.Steps != 14 || !fortnight.Step(13).Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the last fortnight is %+v, want it from %s", fortnight, want)
	}
	if span := LastDay(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)); !span.Step(23).Equal(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("on the hour the last step begins at %s", span.Step(23))
	}
}

func TestATallyAddsUp(t *testing.T) {
	tally := NewTally(LastDay(time.Now()), []time.Duration{4 * time.Second, time.Second, 3 * time.Second, 2 * time.Second})
	tally.Ended[0][DeploymentFailed], tally.Ended[23][DeploymentFailed], tally.Ended[23][DeploymentSucceeded] = 1, 2, 5
	if total := tally.Total(); len(total) != 2 || total[DeploymentFailed] != 3 || total[DeploymentSucceeded] != 5 {
		t.Errorf("in all it is %v", total)
	}
	for percent, want := range map[int]time.Duration{0: time.Second, 25: time.Second, 26: 2 * time.Second, 50: 2 * time.Second, 95: 4 * time.Second, 100: 4 * time.Second} {
		if got := tally.Within(percent); got != want {
			t.Errorf("%d %% are within %s, want %s", percent, got, want)
		}
	}
	if got := (Tally{}).Within(50); got != 0 {
		t.Errorf("half of nothing is within %s", got)
	}
}
