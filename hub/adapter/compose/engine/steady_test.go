package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/moby/api/types/container"

	"berth/hub/worker"
)

// watching returns a watch over one compose service, and a container of it that has just
// been started.
func watching(stable time.Duration) (*watch, *observed) {
	project := &types.Project{Name: "p", Services: types.Services{"web": {Name: "web"}}}
	o := &observed{id: "1", name: "p-web-1", service: "web", state: container.StateRunning, started: time.Now()}
	return newWatch(&Engine{pace: pace{100 * time.Millisecond, time.Second}}, project, stable), o
}

func look(t *testing.T, w *watch, o *observed) time.Duration {
	t.Helper()
	pause, err := w.look(t.Context(), []observed{*o})
	if err != nil {
		t.Fatal(err)
	}
	return pause
}

func TestAContainerWithoutHealthCheckMustHaveRun(t *testing.T) {
	cases := map[string]struct {
		ran    time.Duration // before the first look
		health container.HealthStatus
		waits  bool
	}{
		"just started":               {0, "", true},
		"for half a second":          {500 * time.Millisecond, "", true},
		"for long":                   {time.Hour, "", false},
		"for a second":               {time.Second, "", false},
		"healthy":                    {0, container.Healthy, false},
		"started by a clock that is": {-time.Hour, "", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o := watching(0)
				o.started, o.health = time.Now().Add(-c.ran), c.health
				if waits := look(t, w, o) > 0; waits != c.waits {
					t.Errorf("waits: %v", waits)
				}
				<-time.After(minRun)
				if look(t, w, o) > 0 {
					t.Error("waits after a second of running")
				}
			})
		})
	}
}

func TestStableBeginsAnewAtEachRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := watching(10 * time.Second)
		for restart := range maxRestarts {
			o.restarts, o.started = restart, time.Now()
			if left := look(t, w, o); left != 10*time.Second {
				t.Errorf("after restart %d: %v left", restart, left)
			}
			<-time.After(9 * time.Second)
			if left := look(t, w, o); left != time.Second {
				t.Errorf("after restart %d and 9 seconds: %v left", restart, left)
			}
		}
		<-time.After(time.Second)
		if look(t, w, o) != 0 {
			t.Error("not up after 10 seconds without a restart")
		}
	})
}

func TestTheThirdRestartWhileWatchedFails(t *testing.T) {
	w, o := watching(time.Minute)
	o.restarts = 7 // of another time
	for restarts, want := range map[int]bool{7: false, 8: false, 9: false, 10: true, 11: true} {
		w.before[o.id] = 7
		o.restarts = restarts
		if failed := firstFailed(w.project, []observed{*o}, w.before) != nil; failed != want {
			t.Errorf("at %d restarts: failed is %v", restarts, failed)
		}
	}
}

func TestRestartsOfAContainerThatTheDeploymentMadeCountFromItsMaking(t *testing.T) {
	for made, want := range map[string]int{"dep_now": 0, "dep_before": 5, "": 5} {
		w, o := watching(0)
		w.deployment = "dep_now"
		o.restarts = 5
		o.summary.Labels = map[string]string{worker.LabelDeployment: made}
		if got := w.restartsBefore(*o); got != want {
			t.Errorf("made by %q: restarts count from %d, want %d", made, got, want)
		}
	}
	w, o := watching(0)
	o.restarts = 5
	if got := w.restartsBefore(*o); got != 5 {
		t.Errorf("without a deployment restarts count from %d", got)
	}
}
