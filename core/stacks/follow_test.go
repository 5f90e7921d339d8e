package stacks

import (
	"reflect"
	"testing"
	"time"

	"berth/core"
)

func TestCover(t *testing.T) {
	volumes, networks := DeployOptions{RecreateVolumes: true}, DeployOptions{RecreateNetworks: true}
	running := func(commit core.Commit) Deployment {
		return Deployment{ID: "dep_1", State: DeploymentRunning, Commit: commit, Options: volumes}
	}
	queued := func(commit core.Commit) Deployment {
		return Deployment{ID: "dep_2", State: DeploymentQueued, Commit: commit, Options: volumes, Trigger: TriggerPoll, Actor: "system"}
	}
	ask := Ask{Stack: "stk_1", Trigger: TriggerManual, Actor: "ada", Options: networks}
	polled := Ask{Stack: "stk_1", Trigger: TriggerPoll, Actor: "system", Commit: "c2"}
	fresh := func(a Ask) Deployment {
		return Deployment{Stack: "stk_1", State: DeploymentQueued, Trigger: a.Trigger, Actor: a.Actor, Commit: a.Commit, Options: a.Options, Phases: []Phase{}}
	}
	joined := func(commit core.Commit, more DeployOptions) Deployment {
		d := queued(commit)
		d.Options = volumes.or(more)
		return d
	}
	taken := joined("", networks) // what a person wants is theirs from then on
	taken.Trigger, taken.Actor = ask.Trigger, ask.Actor
	const byQueued, byRunning, follows = "; covered by the deployment that is queued", "; covered by the deployment that is running", "; follows the deployment that is running"
	for name, c := range map[string]struct {
		open  []Deployment
		ask   Ask
		want  Deployment
		how   string
		fresh bool
	}{
		"nothing is open":                                {nil, ask, fresh(ask), "", true},
		"nothing is open, polling asks":                  {nil, polled, fresh(polled), "", true},
		"one runs, a person asks":                        {[]Deployment{running("c2")}, ask, fresh(ask), follows, true},
		"one runs that has not fetched, polling asks":    {[]Deployment{running("")}, polled, fresh(polled), follows, true},
		"one runs of another commit":                     {[]Deployment{running("c1")}, polled, fresh(polled), follows, true},
		"one runs of the very commit":                    {[]Deployment{running("c2")}, polled, running("c2"), byRunning, false},
		"one is queued for any commit":                   {[]Deployment{queued("")}, polled, joined("", DeployOptions{}), byQueued, false},
		"one is queued for an older commit":              {[]Deployment{queued("c1")}, polled, joined("c2", DeployOptions{}), byQueued, false},
		"one is queued for a commit, a person asks":      {[]Deployment{queued("c1")}, ask, taken, byQueued, false},
		"one runs of the commit, another is queued":      {[]Deployment{running("c2"), queued("c1")}, polled, joined("c2", DeployOptions{}), byQueued, false},
		"the order in which they are read is not theirs": {[]Deployment{queued("c1"), running("c2")}, polled, joined("c2", DeployOptions{}), byQueued, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := Cover(c.open, c.ask)
			if !reflect.DeepEqual(got.Deployment, c.want) || got.How != c.how || got.Fresh != c.fresh {
				t.Errorf("got %+v\nwant %+v, %q, %v", got, c.want, c.how, c.fresh)
			}
		})
	}
}

func TestCoverOfAims(t *testing.T) {
	back, head := Ask{Trigger: TriggerRollback, Aim: Aim{Revision: 2}}, Ask{Trigger: TriggerManual}
	polled := Ask{Trigger: TriggerPoll, Commit: "c2"}
	heal := Deployment{ID: "dep_q", State: DeploymentQueued, Trigger: TriggerDrift, Aim: Aim{Revision: 1}}
	queued := Deployment{ID: "dep_q", State: DeploymentQueued, Trigger: TriggerRollback, Aim: Aim{Revision: 2}}
	running := Deployment{ID: "dep_r", State: DeploymentRunning, Trigger: TriggerRollback, Aim: Aim{Revision: 2}}
	restoring, cancelling := running, running
	restoring.Restore.Revision, cancelling.Cancelling = 1, true
	withOptions := back
	withOptions.Options.RecreateContainers = true
	for name, c := range map[string]struct {
		open      []Deployment
		ask       Ask
		id        core.DeploymentID // empty: a new one
		displaced core.DeploymentID
		waits     bool
	}{
		"the same rollback is queued":               {[]Deployment{queued}, back, "dep_q", "", false},
		"a sync after a rollback":                   {[]Deployment{queued}, head, "", "dep_q", false},
		"polling waits for a person's rollback":     {[]Deployment{queued}, polled, "dep_q", "", true},
		"polling goes before a repair":              {[]Deployment{heal}, polled, "", "dep_q", false},
		"the same rollback runs":                    {[]Deployment{running}, back, "dep_r", "", false},
		"it runs, and more is asked":                {[]Deployment{running}, withOptions, "", "", false},
		"it runs, and is being restored":            {[]Deployment{restoring}, back, "", "", false},
		"it runs, and is being cancelled":           {[]Deployment{cancelling}, back, "", "", false},
		"another rollback runs":                     {[]Deployment{running}, Ask{Trigger: TriggerRollback, Aim: Aim{Revision: 3}}, "", "", false},
		"one runs, and the same rollback is queued": {[]Deployment{running, queued}, back, "dep_q", "", false},
	} {
		got := Cover(c.open, c.ask)
		if got.Deployment.ID != c.id || got.Displaced != c.displaced || got.Waits != c.waits || got.Fresh != (c.id == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSuperseded(t *testing.T) {
	queued := Deployment{State: DeploymentQueued, Commit: "c1"}
	ended := Deployment{State: DeploymentSucceeded, Commit: "c1"}
	for name, c := range map[string]struct {
		change func(queued, ended *Deployment)
		want   bool
	}{
		"it was about that commit":           {func(_, _ *Deployment) {}, true},
		"even if that failed":                {func(_, e *Deployment) { e.State = DeploymentFailed }, true},
		"not if that was cancelled":          {func(_, e *Deployment) { e.State = DeploymentCancelled }, false},
		"it was about another commit":        {func(q, _ *Deployment) { q.Commit = "c2" }, false},
		"it was about any commit":            {func(q, _ *Deployment) { q.Commit = "" }, false},
		"neither has a commit":               {func(q, e *Deployment) { q.Commit, e.Commit = "", "" }, false},
		"it was asked to recreate something": {func(q, _ *Deployment) { q.Options.RecreateNetworks = true }, false},
	} {
		q, e := queued, ended
		c.change(&q, &e)
		if got := Superseded(q, e); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: 30 * time.Second, 1: time.Minute, 2: 2 * time.Minute, 4: 8 * time.Minute, 5: 15 * time.Minute, 6: 15 * time.Minute, 1 << 40: 15 * time.Minute, -1: 30 * time.Second,
	} {
		if got := RetryAfter(failures); got != want {
			t.Errorf("after %d failures it waits %s, want %s", failures, got, want)
		}
	}
}
