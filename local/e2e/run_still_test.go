package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/jobs"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// beat is HEARTBEAT_INTERVAL of these programs; three of them are how long each side may be silent.
const beat = 2 * time.Second

// D11: a worker, the server or both stand still in the middle of a run for longer than they are waited for, and go on. Nobody
// guesses meanwhile how the run ended, which is known once, and its log is whole.
func TestARunWhoseWorkerStandsStill(t *testing.T) {
	for name, c := range map[string]struct {
		victim kill.Victim
		beyond bool // the container ends meanwhile
	}{
		"the worker, and the container goes on":        {victim: kill.Worker},
		"the worker, and the container ends meanwhile": {victim: kill.Worker, beyond: true},
		"the server, and the container ends meanwhile": {victim: kill.Server, beyond: true},
		"both, and the container ends meanwhile":       {victim: kill.Both, beyond: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := startRunYard(t, script)
			y.online(time.Time{})
			run := y.begin()
			for _, p := range y.processes(c.victim) {
				p.Signal(syscall.SIGSTOP)
			}
			if c.victim == kill.Worker {
				y.away(run)
			} else {
				y.linkIsCut(c.victim)
			}
			if c.beyond {
				y.letEnd()
				y.exited(run)
			}
			if c.victim == kill.Worker {
				y.stays(run, jobs.RunRunning)
			}
			for _, p := range y.processes(c.victim) {
				p.Signal(syscall.SIGCONT)
			}
			y.letEnd()
			y.wantOnce(runMoment{name: "standing still"}, c.victim, run.ID)
		})
	}
}

// Server, worker or both end in order in the middle of a run and are started again, while the container goes on or ends.
func TestARunGoesOnAcrossOrderlyRestarts(t *testing.T) {
	for _, victim := range []kill.Victim{kill.Server, kill.Worker, kill.Both} {
		t.Run("the "+string(victim), func(t *testing.T) {
			t.Parallel()
			y := startRunYard(t, script)
			for _, beyond := range []bool{false, true} {
				y.online(time.Time{})
				run := y.begin()
				for _, p := range y.processes(victim) {
					if err := p.Stop(); err != nil {
						t.Fatal(err)
					}
					if code := p.Code(); code != 0 {
						t.Errorf("it ended with %d:\n%s", code, p.Tail())
					}
				}
				if c, found := rig.RunContainer(t, run.ID); !found || c.State.Status != "running" {
					t.Errorf("the container is %+v", c)
				}
				if beyond {
					y.letEnd()
					y.exited(run)
				}
				since := time.Now()
				y.restart(victim)
				if !beyond {
					y.online(since)
					y.stays(run, jobs.RunRunning)
				}
				y.letEnd()
				y.wantOnce(runMoment{name: fmt.Sprintf("an orderly end, the container ending meanwhile: %t", beyond)}, victim, run.ID)
			}
		})
	}
}

// begin has the job run, until the server has something of its log.
func (y *runYard) begin() (run api.RunAnswer) {
	y.t.Helper()
	y.number++
	y.site.Must(http.MethodPost, "/api/custom/jobs/"+string(y.job)+"/run", api.RunJobRequest{Variables: map[string]string{"NUMBER": fmt.Sprint(y.number)}}, &run)
	y.running(run.ID)
	return run
}

// exited waits until a run's container has ended.
func (y *runYard) exited(run api.RunAnswer) {
	y.t.Helper()
	rig.Until(y.t, limit, "the container has ended", func() (bool, string) {
		c, found := rig.RunContainer(y.t, run.ID)
		return found && c.State.Status == "exited", quote(c)
	})
}

// away waits until the server has lost its patience with the worker of a run, and checks all the while what it says of the run.
func (y *runYard) away(run api.RunAnswer) {
	y.t.Helper()
	rig.Until(y.t, limit, "the worker is taken to be away", func() (bool, string) {
		y.is(run, jobs.RunRunning)
		var all endpoint.Items[api.WorkerAnswer]
		y.site.Must(http.MethodGet, "/api/custom/workers?online=true", nil, &all)
		return len(all.Items) == 0, quote(all)
	})
}

// linkIsCut waits until the worker has lost its patience with the server; when both stand still, as long as that takes.
func (y *runYard) linkIsCut(victim kill.Victim) {
	y.t.Helper()
	began := time.Now()
	rig.Until(y.t, limit, "the link is cut", func() (bool, string) {
		if victim == kill.Both {
			return time.Since(began) > 4*beat, ""
		}
		return strings.Contains(y.site.Worker.Tail(), "the link to the hub was lost"), y.site.Worker.Tail()
	})
}

// stays checks for a while that a run is in a state.
func (y *runYard) stays(run api.RunAnswer, state jobs.RunState) {
	y.t.Helper()
	began := time.Now()
	rig.Until(y.t, limit, "a while has passed", func() (bool, string) {
		y.is(run, state)
		return time.Since(began) > beat, ""
	})
}

func (y *runYard) is(run api.RunAnswer, state jobs.RunState) {
	y.t.Helper()
	var now api.RunAnswer
	y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(run.ID), nil, &now)
	if now.State != state {
		y.t.Fatalf("the run is %+v", now)
	}
}
