package stacks

import (
	"testing"
	"time"
)

func TestRestorable(t *testing.T) {
	applying := []Phase{{Name: PhaseApply, State: PhaseFailed}}
	for name, c := range map[string]struct {
		change func(s *Stack, d *Deployment, o *Outcome, onFailure *string)
		want   int
	}{
		"the last good revision":         {func(*Stack, *Deployment, *Outcome, *string) {}, 3},
		"there is none":                  {func(s *Stack, _ *Deployment, _ *Outcome, _ *string) { s.Revision = 0 }, 0},
		"it is the one that failed":      {func(s *Stack, d *Deployment, _ *Outcome, _ *string) { d.Revision = s.Revision }, 0},
		"it was on another worker":       {func(s *Stack, _ *Deployment, _ *Outcome, _ *string) { s.Worker = "wrk_2" }, 0},
		"the manifest says keep":         {func(_ *Stack, _ *Deployment, _ *Outcome, f *string) { *f = OnFailureKeep }, 0},
		"nothing was changed":            {func(_ *Stack, _ *Deployment, o *Outcome, _ *string) { o.Phases = nil }, 0},
		"it was cancelled":               {func(_ *Stack, _ *Deployment, o *Outcome, _ *string) { o.State = DeploymentCancelled }, 0},
		"it failed while being put back": {func(_ *Stack, d *Deployment, _ *Outcome, _ *string) { d.Restore.Revision = 3 }, 0},
		"its worker is gone":             {func(_ *Stack, _ *Deployment, o *Outcome, _ *string) { o.NoRestore = true }, 0},
	} {
		s, d := Stack{Revision: 3, Worker: "wrk_1"}, Deployment{Revision: 4, Worker: "wrk_1"}
		o, onFailure := Outcome{State: DeploymentFailed, Phases: applying}, OnFailureRollback
		c.change(&s, &d, &o, &onFailure)
		if got := Restorable(s, d, o, onFailure); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestHealAfter(t *testing.T) {
	for heals, want := range map[int]time.Duration{
		-1: 2 * time.Second, 0: 2 * time.Second, 1: 30 * time.Second, 2: time.Minute, 5: 8 * time.Minute, 6: 15 * time.Minute, 1 << 40: 15 * time.Minute,
	} {
		if got := HealAfter(heals); got != want {
			t.Errorf("after %d repairs it waits %s, want %s", heals, got, want)
		}
	}
}

func TestQuarantineAndPauseKeepPollingBack(t *testing.T) {
	held := Stack{AutoSync: true, SeenTree: "a", Quarantine: Quarantine{Tree: "b", Commit: "c0ffee", Reason: "web is not healthy"}}
	if v := Decide(held, Sight{Commit: "d", Tree: "b"}); v.Deploy || !v.OutOfSync || !v.Record {
		t.Errorf("in quarantine: %+v", v)
	}
	if v := Decide(held, Sight{Commit: "d", Tree: "c"}); !v.Deploy {
		t.Errorf("another state of the folder: %+v", v)
	}
	if v := Decide(Stack{AutoSync: true, Paused: true, SeenTree: "a"}, Sight{Commit: "d", Tree: "b"}); v.Deploy || !v.OutOfSync || !v.Record {
		t.Errorf("paused: %+v", v)
	}
}
