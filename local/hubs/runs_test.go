package hubs

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/api"
	"berth/hub/worker/runs"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
	"berth/local/stand/githost"
)

// chatty is an engine whose runs write numbered lines, as fast as a log may be stored, until they are told to end.
type chatty struct {
	dryengine.Engine
	lines atomic.Int64 // written so far
	end   chan struct{}
}

func newChatty() *chatty {
	e := &chatty{end: make(chan struct{})}
	e.OnRun = func(ctx context.Context, _ runs.Spec, line func(string)) int {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			for range 20 {
				line(fmt.Sprint(e.lines.Add(1)))
			}
			select {
			case <-tick.C:
			case <-e.end:
				return 0
			case <-ctx.Done():
				return 143
			}
		}
	}
	return e
}

// A worker's link moves from hub to hub while a run of it writes its log: one hub ends in order, one stands still and comes
// back to what it had not stored, one is killed. There is one result, and each line is there once, in order.
func TestALinkMovesInTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	hubs, web := []*program{s.hub("hub-1"), s.hub("hub-2")}, s.add("local", "./local")
	for _, p := range append(hubs, web) {
		p.run()
	}
	s.balancer.before(hubs[0].workers, hubs[1].workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	engine := newChatty()
	remote := (&rig.Server{T: t, Client: s.api}).Remote()
	remote.Run(t, s.balancer.address(), engine)
	id := s.linked(remote.Hostname)
	run := s.chat()

	for _, move := range []struct {
		name       string
		leave, end func(p *program)
	}{
		{"ends", (*program).stop, (*program).run},
		{"stands still", func(p *program) { p.process.Signal(syscall.SIGSTOP) }, func(p *program) {
			s.until("it is taken to be gone", func() (bool, string) {
				return s.count(`SELECT count(*) FROM hubs WHERE url = $1`, p.url) == 0, "its row is there"
			})
			woken := time.Now()
			p.process.Signal(syscall.SIGCONT)
			p.joined(woken)
		}},
		{"is killed", (*program).kill, (*program).run},
	} {
		from := s.holder(id)
		s.stored(run)
		began := time.Now()
		move.leave(from)
		s.until("the link is at the other hub", func() (bool, string) {
			p := s.holder(id)
			return p != nil && p != from, fmt.Sprint(p)
		})
		s.stored(run)
		t.Logf("the hub %s: the other one stores the log after %v", move.name, time.Since(began).Round(time.Millisecond))
		if now := rig.Get[api.RunAnswer](s.api, "/api/custom/job-runs/"+string(run)); now.State != jobs.RunRunning {
			t.Errorf("the hub %s: the run is %+v", move.name, now)
		}
		move.end(from)
	}
	close(engine.end)
	var now api.RunAnswer
	s.until("the run has ended", func() (bool, string) {
		now = rig.Get[api.RunAnswer](s.api, "/api/custom/job-runs/"+string(run))
		return now.State.Ended(), fmt.Sprintf("%+v", now)
	})
	if now.State != jobs.RunSucceeded || now.ExitCode == nil || *now.ExitCode != 0 || engine.Started(jobs.ContainerName(run)) != 1 {
		t.Errorf("its container was started %d times, the run is %+v", engine.Started(jobs.ContainerName(run)), now)
	}
	if n := s.count(`SELECT count(*) FROM job_runs`); n != 1 {
		t.Errorf("there are %d runs", n)
	}
	s.wantNumbers(run, int(engine.lines.Load()))
}

// chat adds a job and has it run.
func (s *site) chat() core.RunID {
	s.t.Helper()
	name := rig.Name()
	if err := s.git.Create(name); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.git.Apply(name, "main", githost.Change{Files: map[string]string{"job.yaml": "name: chat\nimage: none\nresources: {cpu: 1, memory: 32m, timeout: 1h}\n"}}); err != nil {
		s.t.Fatal(err)
	}
	repository := rig.Post[api.RepositoryAnswer](s.api, "/api/custom/repositories", api.CreateRepositoryRequest{Name: name, URL: s.gitURL + s.git.Path(name), Branch: "main"}, http.StatusCreated)
	job := rig.Post[api.JobAnswer](s.api, "/api/custom/jobs", api.CreateJobRequest{Name: name, RepositoryID: repository.ID}, http.StatusCreated)
	s.until("the job is read", func() (bool, string) {
		now := rig.Get[api.JobAnswer](s.api, "/api/custom/jobs/"+string(job.ID))
		return now.Commit != "", fmt.Sprintf("%+v", now)
	})
	return rig.Post[api.RunAnswer](s.api, "/api/custom/jobs/"+string(job.ID)+"/run", api.RunJobRequest{}, http.StatusAccepted).ID
}

// stored waits until more of a run's log is.
func (s *site) stored(run core.RunID) {
	s.t.Helper()
	before := s.count(`SELECT count(*) FROM job_run_log WHERE run_id = $1`, run)
	s.until("more of the log is stored", func() (bool, string) {
		now := s.count(`SELECT count(*) FROM job_run_log WHERE run_id = $1`, run)
		return now > before+3, fmt.Sprint(now)
	})
}

// wantNumbers checks that a run's log is the numbers up to last, each once and in order, after what the worker says itself.
func (s *site) wantNumbers(run core.RunID, last int) {
	s.t.Helper()
	next, after := 1, uint64(0)
	for {
		page := rig.Get[api.RunLogAnswer](s.api, fmt.Sprintf("/api/custom/job-runs/%s/log?limit=500&after=%d", run, after))
		for _, piece := range page.Items {
			after = piece.Number
			for line := range strings.Lines(piece.Text) {
				if line != fmt.Sprintln(next) {
					s.t.Fatalf("after %d the log says %q", next-1, line)
				}
				next++
			}
		}
		if len(page.Items) == 0 {
			break
		}
	}
	if next != last+1 {
		s.t.Errorf("the log ends with %d of %d lines", next-1, last)
	}
}
