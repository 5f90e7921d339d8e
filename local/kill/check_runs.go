package kill

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/api"
)

// settleRuns waits until no run is under way, and checks that each was done once, and that none was lost.
func (l *Load) settleRuns() {
	t := l.Site.T
	t.Helper()
	l.mu.Lock()
	open := l.openRuns()
	l.mu.Unlock()
	for _, id := range open {
		l.promised(id)
	}
	known, mine := map[core.RunID]bool{}, map[core.JobID]bool{}
	for _, j := range l.Jobs {
		mine[j.ID] = true
		all := l.settled(j)
		starts := l.Host.RunStarts(mine)
		for _, run := range all {
			l.wantRun(j, run, starts[run.ID])
		}
		l.wantFires(j)
	}
	begun := l.Host.RunStarts(mine)
	for _, j := range l.Jobs { // again, because a job may have fired since: what is in begun was stored before
		for _, run := range l.settled(j) {
			known[run.ID] = true
		}
	}
	for id, n := range begun {
		if n > 1 || !known[id] {
			t.Errorf("the container of run %s was started %d times; the server knows of it: %t", id, n, known[id])
		}
	}
	l.until("no container of a run is left", func() (bool, string) {
		left := l.Host.RunsLeft(mine)
		return len(left) == 0, fmt.Sprint(left)
	})
}

// promised waits until a run that was asked for has ended, and checks how.
func (l *Load) promised(id core.RunID) {
	t := l.Site.T
	t.Helper()
	var run api.RunAnswer
	l.until(fmt.Sprintf("run %s has ended", id), func() (bool, string) {
		run = get[api.RunAnswer](l.Site, runPath(id, ""))
		return run.State.Ended(), fmt.Sprintf("%+v", run)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.runs[id]
	a.closed = true
	ends := kinds[a.job.Kind].ends
	if !slices.Contains(ends, run.State) && !(a.cancelled && run.State == jobs.RunCancelled) {
		t.Errorf("the accepted run %s of %s ended %s (%s): %s", id, a.job.Kind, run.State, run.ErrorCode, run.Error)
	}
}

// settled waits until none of a job's runs is open, those by schedule and those that try again included, and returns all.
func (l *Load) settled(j *Job) (all []api.RunAnswer) {
	l.Site.T.Helper()
	l.until("no run of "+j.Kind+" is open", func() (bool, string) {
		all = j.all(l.Site)
		i := slices.IndexFunc(all, func(run api.RunAnswer) bool { return !run.State.Ended() })
		if i < 0 {
			return true, ""
		}
		return false, fmt.Sprintf("%+v", all[i])
	})
	return all
}

// wantRun checks one run that has ended against what its container did.
func (l *Load) wantRun(j *Job, run api.RunAnswer, starts int) {
	t, k := l.Site.T, kinds[j.Kind]
	t.Helper()
	ended := run.State == jobs.RunSucceeded || run.State == jobs.RunFailed
	switch {
	case run.State == jobs.RunLost:
		t.Errorf("run %s of %s is lost: %s", run.ID, j.Kind, run.Error)
	case ended && (starts != 1 || run.ExitCode == nil || *run.ExitCode != k.code || (run.State == jobs.RunSucceeded) != (k.code == 0)):
		t.Errorf("run %s of %s was started %d times and is %+v", run.ID, j.Kind, starts, run)
	case run.State == jobs.RunSkipped && starts != 0:
		t.Errorf("run %s of %s was skipped and started", run.ID, j.Kind)
	}
	if l.read[run.ID] {
		return
	}
	l.read[run.ID] = true
	text := ""
	for _, piece := range get[api.RunLogAnswer](l.Site, runPath(run.ID, "/log?limit=500")).Items {
		text += piece.Text
	}
	if starts == 0 { // what its worker said itself may be lost with it, which the log tells
		text = strings.TrimPrefix(text, "[some messages of the worker had not arrived when the run ended]\n")
	}
	if err := wantLines(text, k.lines, ended); err != nil {
		t.Errorf("the log of run %s of %s, which is %s: %v", run.ID, j.Kind, run.State, err)
	}
}

// wantFires checks that each time of a schedule fired once or was given up, and that what failed was tried again
// once, and nothing else was.
func (l *Load) wantFires(j *Job) {
	t := l.Site.T
	t.Helper()
	if !j.First.IsZero() {
		l.until("each time of "+j.Kind+" fired once", func() (bool, string) {
			now, fires := get[api.JobAnswer](l.Site, j.path("")), map[time.Time]int{}
			for _, run := range j.all(l.Site) {
				if run.Trigger == jobs.TriggerCron {
					fires[run.ScheduledAt]++
				}
			}
			for at, n := range fires {
				if n != 1 {
					t.Errorf("%s of %v fired %d times", j.Kind, at, n)
				}
			}
			if now.NextAt == nil {
				return false, fmt.Sprintf("%+v", now)
			}
			times := int(now.NextAt.Sub(j.First) / time.Minute)
			return len(fires)+now.Missed == times, fmt.Sprintf("%d times since %v, %d fired, %d missed", times, j.First, len(fires), now.Missed)
		})
	}
	tries := map[core.RunID]int{}
	for _, run := range j.all(l.Site) {
		if run.State == jobs.RunFailed {
			tries[run.FireID]++
		}
	}
	for fire, n := range tries {
		l.mu.Lock()
		a := l.runs[fire]
		cancelled := a != nil && a.cancelled
		l.mu.Unlock()
		if n != 2 && !cancelled {
			t.Errorf("fire %s of %s was tried %d times", fire, j.Kind, n)
		}
	}
}
