package hub

import (
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/wire"
)

// undecided decides as the core does, but about one job, which it cannot.
type undecided struct {
	about atomic.Pointer[core.JobID]
	met   atomic.Int64
	log   logText
}

// logText is a log that tests read.
type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) lines(with ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		all := true
		for _, text := range with {
			all = all && strings.Contains(line, text)
		}
		if all {
			n++
		}
	}
	return n
}

func (d *undecided) options(o *Options) {
	o.Log = slog.New(slog.NewTextHandler(&d.log, nil))
	fail := func(j jobs.Job) {
		if bad := d.about.Load(); bad != nil && *bad == j.ID {
			d.met.Add(1)
			panic("the row is poisoned")
		}
	}
	o.decisions = decisions{
		fire: func(j jobs.Job, open []jobs.Run, r *jobs.Roster, now time.Time) jobs.Firing {
			fail(j)
			return jobs.Fire(j, open, r, now)
		},
		begin: func(j jobs.Job, open []jobs.Run, r *jobs.Roster, now time.Time) jobs.Beginning {
			fail(j)
			return jobs.Begin(j, open, r, now)
		},
	}
}

func (d *undecided) told(t *testing.T, id core.JobID) {
	t.Helper()
	if n := d.log.lines("level=ERROR", "the others go on", string(id), "poisoned"); n == 0 || n > maxPanics {
		t.Errorf("the log tells %d times of the defect", n)
	}
}

// TestADefectInAFiringStopsOnlyThatJob: its time is missed, and its next one fires.
func TestADefectInAFiringStopsOnlyThatJob(t *testing.T) {
	d := &undecided{}
	s := newStandWith(t, d.options)
	_, p := s.runner("one")
	bad, good := s.job("bad", hourly(nil)), s.job("good", hourly(nil))
	d.about.Store(&bad.ID)
	s.due(good.ID)
	cmd := expect[wire.Command](p)
	if cmd.Run.Job != good.ID {
		t.Errorf("job %s runs", cmd.Run.Name)
	}
	p.exit(cmd, 0)
	s.eventually("the time of the bad one is missed", func() bool { return s.jobNow(bad.ID).Missed == 1 })
	now := s.jobNow(bad.ID)
	if all := s.runs(bad.ID); len(all) != 0 || !now.FiredAt.Equal(bad.NextAt) || !now.NextAt.Equal(bad.NextAt.Add(time.Hour)) {
		t.Errorf("it is %+v, its runs are %+v", now, all)
	}
	d.told(t, bad.ID)

	d.about.Store(nil)
	s.due(bad.ID)
	for _, cmd := range []wire.Command{expect[wire.Command](p), expect[wire.Command](p)} {
		p.exit(cmd, 0)
	}
	for id, times := range map[core.JobID]int{bad.ID: 1, good.ID: 2} {
		fired := map[time.Time]int{}
		for _, r := range s.runs(id) {
			fired[r.ScheduledAt]++
		}
		if len(fired) != times || fired[now.NextAt] != 1 {
			t.Errorf("the times that fired are %v", fired)
		}
	}
}

// TestADefectInABeginningStopsOnlyThatJob: its run goes on waiting and is looked at a few times, and again after a while.
func TestADefectInABeginningStopsOnlyThatJob(t *testing.T) {
	d := &undecided{}
	s := newStandWith(t, d.options)
	bad, good := s.job("bad", onDemand(jobFile{"start_deadline": "24h"})), s.job("good", onDemand(nil))
	d.about.Store(&bad.ID)
	s.runNow(bad.ID, nil)
	s.runNow(good.ID, nil)
	_, p := s.runner("one")
	cmd := expect[wire.Command](p)
	if cmd.Run.Job != good.ID {
		t.Errorf("job %s runs", cmd.Run.Name)
	}
	p.exit(cmd, 0)
	s.eventually("the bad one is left alone", func() bool {
		s.hub.Nudge()
		return s.hub.defects.aside(beginningOf(bad.ID), s.now())
	})
	for range 5 {
		s.runNow(good.ID, nil)
		p.exit(expect[wire.Command](p), 0)
	}
	if n := d.met.Load(); n != maxPanics {
		t.Errorf("the defect was met %d times", n)
	}
	d.told(t, bad.ID)
	s.states(bad.ID, jobs.RunQueued)

	d.about.Store(nil)
	s.pass(asideFor + time.Second)
	p.exit(expect[wire.Command](p), 0)
	s.states(bad.ID, jobs.RunSucceeded)
}
