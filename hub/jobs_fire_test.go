package hub

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/hubs"
	"berth/core/jobs"
	"berth/core/wire"
)

func TestAJobRunsInTime(t *testing.T) {
	s, w, p := newJobStand(t)
	s.secret("TOKEN", "hunter2")
	j := s.job("backup", hourly(jobFile{"command": []string{"backup", "--all"}}))
	s.due(j.ID)
	cmd := expect[wire.Command](p)
	run := s.states(j.ID, jobs.RunQueued)[0]
	if cmd.Kind != wire.CommandRun || cmd.Run.Run != run.ID || cmd.Run.Job != j.ID || cmd.Run.Name != "backup" || cmd.Run.Commit != j.Commit ||
		cmd.Run.Container != jobs.ContainerName(run.ID) || cmd.Run.Secrets["TOKEN"] != "hunter2" || cmd.Run.Definition.Command[1] != "--all" {
		t.Errorf("the worker is asked for %+v, %+v", cmd, cmd.Run)
	}
	if limit := 25 * 60; cmd.Seconds > limit || cmd.Seconds < limit-60 {
		t.Errorf("the worker has %d seconds, want ten minutes and those for the image", cmd.Seconds)
	}
	if !run.ScheduledAt.Equal(j.NextAt) || run.Worker != w.ID || run.Trigger != jobs.TriggerCron || run.Fire != run.ID {
		t.Errorf("the run is %+v", run)
	}
	p.accept(cmd)
	started := s.states(j.ID, jobs.RunRunning)[0].StartedAt
	p.tell(cmd, 2, "copying\n")
	s.ahead.Add(int64(time.Minute)) // the word comes late
	p.exit(cmd, 0)
	run = s.states(j.ID, jobs.RunSucceeded)[0]
	if run.ExitCode == nil || *run.ExitCode != 0 || !run.StartedAt.Equal(started) || run.FinishedAt.Sub(started) != 1500*time.Millisecond {
		t.Errorf("the run is %+v", run)
	}
	if log := s.runLog(run.ID); log != "copying\n" {
		t.Errorf("the log is\n%s", log)
	}
	if now := s.jobNow(j.ID); !now.LastSuccessAt.Equal(run.FinishedAt) || !now.NextAt.After(j.NextAt) {
		t.Errorf("the job is %+v", now)
	}
}

func TestATimeFiresOnceWhateverHubsThereAre(t *testing.T) {
	s, _, p := newJobStand(t)
	another := New(s.hub.opts) // which takes itself for the only one, too
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- another.Run(ctx) }()
	defer func() { cancel(); <-done }()
	j := s.job("backup", hourly(jobFile{"overlap": "queue"}))
	for range 5 {
		s.due(j.ID)
		another.Nudge()
		cmd := expect[wire.Command](p)
		p.exit(cmd, 0)
	}
	all := s.states(j.ID, jobs.RunSucceeded, jobs.RunSucceeded, jobs.RunSucceeded, jobs.RunSucceeded, jobs.RunSucceeded)
	for i, r := range all[1:] {
		if !r.ScheduledAt.After(all[i].ScheduledAt) {
			t.Errorf("run %d is of %s, the one before of %s", i+1, r.ScheduledAt, all[i].ScheduledAt)
		}
	}
}

func TestTheHubThatLeadsFiresForWorkersOfAnother(t *testing.T) {
	s, other := newStandOfTwo(t)
	w, leader := s.enrol("one"), s.hub
	s.hub = other
	p := s.takesRuns(w)
	s.hub = leader
	j := s.job("backup", hourly(jobFile{"overlap": "queue"}))
	s.due(j.ID)
	first := expect[wire.Command](p)
	p.accept(first)
	s.states(j.ID, jobs.RunRunning)
	s.due(j.ID)
	s.states(j.ID, jobs.RunRunning, jobs.RunQueued)
	p.exit(first, 0) // the other hub hears it, and the one that leads begins the next
	second := expect[wire.Command](p)
	s.cancelRun(second.Run.Run)
	other.Nudge()
	if cancel := expect[wire.Cancel](p); cancel.ID != second.ID || cancel.Attempt != second.Attempt {
		t.Errorf("cancelled is %+v", cancel)
	}
	result := runResult(second, 143)
	result.Status, result.Code, result.Error = wire.ResultCancelled, "", ""
	p.ends(result)
	s.states(j.ID, jobs.RunSucceeded, jobs.RunCancelled)
}

func TestTimesThatWereMissed(t *testing.T) {
	for name, c := range map[string]struct {
		away   time.Duration // from the first time that is due
		runs   int
		missed int
	}{
		"within the deadline the newest is made up for": {3*time.Hour + 30*time.Minute, 1, 3},
		"a clock that jumps a year fires once":          {366 * 24 * time.Hour, 1, jobs.MaxMissed - 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, w, p := newJobStand(t)
			j := s.job("backup", hourly(nil))
			p.leave()
			s.restart(func() { s.ahead.Add(int64(j.NextAt.Sub(s.now()) + c.away)) })
			p = s.takesRuns(w)
			cmd := expect[wire.Command](p)
			p.exit(cmd, 0)
			run := s.states(j.ID, jobs.RunSucceeded)[0]
			now := s.jobNow(j.ID)
			if late := s.now().Sub(run.ScheduledAt); late > time.Hour || late < 0 || now.Missed != c.missed || !now.NextAt.After(s.now()) {
				t.Errorf("the run is %s late, %d times are missed, the next is at %s", late, now.Missed, now.NextAt)
			}
		})
	}
	t.Run("beyond the deadline it is given up", func(t *testing.T) {
		s, _, _ := newJobStand(t)
		j := s.job("backup", hourly(jobFile{"start_deadline": "10m"}))
		s.restart(func() { s.ahead.Add(int64(j.NextAt.Sub(s.now()) + 30*time.Minute)) })
		s.eventually("the time is given up", func() bool { return s.jobNow(j.ID).Missed == 1 })
		if all := s.runs(j.ID); len(all) != 0 {
			t.Errorf("there are runs: %+v", all)
		}
	})
	t.Run("a clock that is set back fires nothing again", func(t *testing.T) {
		s, _, p := newJobStand(t)
		j := s.job("backup", hourly(nil))
		s.due(j.ID)
		p.exit(expect[wire.Command](p), 0)
		s.pass(-90 * time.Minute)
		s.commit(map[string]string{"jobs/backup/job.yaml": hourly(jobFile{"image": "backup:2"}).text()}) // when it is due is computed anew
		s.look()
		s.eventually("the commit is read", func() bool { return s.jobNow(j.ID).Definition.Image == "backup:2" })
		if now := s.jobNow(j.ID); !now.NextAt.After(j.NextAt) {
			t.Errorf("it is due at %s, and fired at %s", now.NextAt, now.FiredAt)
		}
		s.states(j.ID, jobs.RunSucceeded)
	})
}

func TestARunWaitsForAWorkerThatFits(t *testing.T) {
	s, _, p := newJobStand(t)
	older := s.connect(s.enrol("older", "gpu")) // of a release that knows no runs
	j := s.job("train", hourly(jobFile{"tags": []string{"gpu"}, "start_deadline": "30m"}))
	s.due(j.ID)
	if r := s.states(j.ID, jobs.RunQueued)[0]; r.Worker != "" || r.Command != "" {
		t.Errorf("the run has worker %q and command %q", r.Worker, r.Command)
	}
	_, q := s.runner("gpu-1", "gpu")
	q.exit(expect[wire.Command](q), 0)
	s.states(j.ID, jobs.RunSucceeded)
	q.leave()
	s.due(j.ID)
	s.states(j.ID, jobs.RunSucceeded, jobs.RunQueued)
	s.pass(31 * time.Minute)
	if r := s.states(j.ID, jobs.RunSucceeded, jobs.RunSkipped)[1]; r.ErrorCode != "run.no_worker" || !strings.Contains(r.Error, "gpu") {
		t.Errorf("the run is %+v", r)
	}
	p.silent()
	older.silent()
}

func TestOverlap(t *testing.T) {
	begun := func(t *testing.T, overlap string) (*stand, *puppet, jobs.Job, wire.Command) {
		s, _, p := newJobStand(t)
		j := s.job("backup", hourly(jobFile{"overlap": overlap}))
		s.due(j.ID)
		first := expect[wire.Command](p)
		p.accept(first)
		s.states(j.ID, jobs.RunRunning)
		s.due(j.ID)
		return s, p, j, first
	}
	t.Run("skip", func(t *testing.T) {
		s, p, j, first := begun(t, "skip")
		if r := s.states(j.ID, jobs.RunRunning, jobs.RunSkipped)[1]; r.ErrorCode != "run.overlap" {
			t.Errorf("the run is %+v", r)
		}
		p.silent()
		p.exit(first, 0)
	})
	t.Run("queue", func(t *testing.T) {
		s, p, j, first := begun(t, "queue")
		s.states(j.ID, jobs.RunRunning, jobs.RunQueued)
		p.silent()
		p.exit(first, 0)
		p.exit(expect[wire.Command](p), 0)
		s.states(j.ID, jobs.RunSucceeded, jobs.RunSucceeded)
	})
	t.Run("replace", func(t *testing.T) {
		s, p, j, first := begun(t, "replace")
		if cancel := expect[wire.Cancel](p); cancel.ID != first.ID {
			t.Errorf("cancelled is %+v", cancel)
		}
		result := runResult(first, 137)
		result.Status = wire.ResultCancelled
		p.ends(result)
		p.exit(expect[wire.Command](p), 0)
		s.states(j.ID, jobs.RunCancelled, jobs.RunSucceeded)
	})
}

func TestOnceAllRunsOnEveryWorkerThatFits(t *testing.T) {
	s := newStand(t)
	_, a := s.runner("a", "edge")
	_, b := s.runner("b", "edge")
	_, c := s.runner("c")
	j := s.job("clean", hourly(jobFile{"mode": "once_all", "tags": []string{"edge"}, "retries": 1}))
	s.due(j.ID)
	one, two := expect[wire.Command](a), expect[wire.Command](b)
	a.exit(one, 0)
	b.exit(two, 1)
	c.silent()
	s.eventually("both have ended", func() bool { return len(s.runs(j.ID)) == 3 })
	all := s.runs(j.ID)
	well, ill := all[0], all[1] // or the other way round: they are of one moment
	if well.State == jobs.RunFailed {
		well, ill = ill, well
	}
	if well.State != jobs.RunSucceeded || ill.State != jobs.RunFailed || ill.Fire != well.Fire || all[2].Fire != well.Fire || all[2].Worker != ill.Worker {
		t.Errorf("the runs are %+v", all)
	}
	s.pass(11 * time.Second)
	b.exit(expect[wire.Command](b), 0) // on the worker where it failed
}

func TestRunsAreDealtFairly(t *testing.T) {
	s := newStand(t)
	_, a := s.runner("a")
	_, b := s.runner("b")
	j := s.job("backup", onDemand(nil))
	for range 3 {
		for _, p := range []*puppet{a, b} {
			s.runNow(j.ID, nil)
			var cmd wire.Command
			select {
			case msg := <-a.messages:
				cmd = msg.(wire.Command)
				if p != a {
					t.Error("a has two runs in a row")
				}
			case msg := <-b.messages:
				cmd = msg.(wire.Command)
				if p != b {
					t.Error("b has two runs in a row")
				}
			case <-time.After(patience):
				t.Fatal("the run is not sent")
			}
			p.exit(cmd, 0)
		}
	}
}

func TestAFailedRunIsTriedAgain(t *testing.T) {
	s, _, p := newJobStand(t)
	j := s.job("flaky", onDemand(jobFile{"retries": map[string]any{"count": 2, "backoff": "1m"}}))
	first := s.runNow(j.ID, map[string]string{"SIZE": "7"})
	p.exit(expect[wire.Command](p), 3)
	all := s.states(j.ID, jobs.RunFailed, jobs.RunQueued)
	if r := all[0]; r.ErrorCode != "run.exit" || *r.ExitCode != 3 {
		t.Errorf("the run is %+v", r)
	}
	if r := all[1]; r.Attempt != 2 || r.RetryOf != first.ID || r.Trigger != jobs.TriggerRetry || r.NotBefore.Before(s.now()) {
		t.Errorf("the next attempt is %+v", r)
	}
	p.silent()
	s.pass(61 * time.Second)
	cmd := expect[wire.Command](p)
	if cmd.Run.Variables["SIZE"] != "7" {
		t.Errorf("the next attempt sees %v", cmd.Run.Variables)
	}
	p.exit(cmd, 0)
	s.states(j.ID, jobs.RunFailed, jobs.RunSucceeded)
}

// counting counts what is asked of a store about jobs.
type counting struct {
	*quiet
	asked atomic.Int64
}

func (c *counting) DueJobs(ctx context.Context, at time.Time, limit int) ([]jobs.Job, time.Time, error) {
	c.asked.Add(1)
	return c.quiet.DueJobs(ctx, at, limit)
}

func TestAtRestJobsAreHardlyAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{}
		newQuietOn(t, 0, func(q *quiet) Store { c.quiet = q; return c }) // before the hub runs
		time.Sleep(time.Minute + time.Second)
		if n := c.asked.Load(); n < 6 || n > 8 {
			t.Errorf("within a minute the store was asked %d times", n)
		}
		c.hub.Nudge()
		before := c.asked.Load()
		time.Sleep(time.Second)
		if c.asked.Load() != before+1 {
			t.Error("after a nudge the store was not asked at once")
		}
		c.stop()
	})
}

// picky is a store that does not take a job.
type picky struct {
	Store
	refuses atomic.Pointer[core.JobID]
	tries   atomic.Int64
}

func (p *picky) Fire(ctx context.Context, ids []core.JobID, at time.Time, decide func(jobs.Job, []jobs.Run) jobs.Firing) ([]jobs.Run, error) {
	bad := p.refuses.Load()
	for _, id := range ids {
		if bad != nil && id == *bad {
			p.tries.Add(1)
			return nil, errors.New("the row is damaged")
		}
	}
	return p.Store.Fire(ctx, ids, at, decide)
}

func TestAJobThatCannotBeFiredDoesNotStopOthers(t *testing.T) {
	store := &picky{}
	s := newStandWith(t, func(o *Options) { store.Store, o.Store = o.Store, store })
	_, p := s.runner("one")
	bad, good := s.job("bad", hourly(nil)), s.job("good", hourly(nil))
	store.refuses.Store(&bad.ID)
	s.due(good.ID)
	cmd := expect[wire.Command](p)
	if cmd.Run.Job != good.ID {
		t.Errorf("job %s runs", cmd.Run.Name)
	}
	p.exit(cmd, 0)
	s.eventually("the bad one was tried three times", func() bool { s.hub.Nudge(); return store.tries.Load() >= 2*maxPanics })
	s.eventually("and is left alone then", func() bool { return s.hub.defects.aside(bad.ID, s.now()) })
	if all := s.runs(bad.ID); len(all) != 0 {
		t.Errorf("its runs are %+v", all)
	}
}

func TestAHubThatDoesNotLeadFiresNothing(t *testing.T) {
	s, other := newStandOfTwo(t)
	w, _ := s.enrol("one"), s.hub
	p := s.takesRuns(w)
	j := s.job("backup", hourly(nil))
	stale, end := context.WithCancel(hubs.Under(t.Context(), hubs.Fence{Lease: hubs.Lease{Name: hubs.Duties, Holder: "hub_gone", Epoch: 1}}))
	defer end()
	s.ahead.Add(int64(j.NextAt.Sub(s.now()) + time.Second))
	if _, err := (&pass{h: other}).fireDue(stale); !errors.Is(err, hubs.ErrLost) {
		t.Errorf("firing under a lease that is lost: %v", err)
	}
	s.hub.Nudge()
	p.exit(expect[wire.Command](p), 0)
	s.states(j.ID, jobs.RunSucceeded)
}
