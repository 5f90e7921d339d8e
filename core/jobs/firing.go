package jobs

import (
	"time"

	"berth/core"
	"berth/core/access"
)

// MaxMissed is how many missed times one Firing counts. After a longer pause of a job that is due often it are
// fewer than there were.
const MaxMissed = 1000

// farAhead is how far in the future FiredAt may lie after the clock was set back. Beyond, the clock was wrong when that
// was stored, and the job does not wait until then.
const farAhead = 48 * time.Hour

// Due returns when a job is due, to be stored as its NextAt whenever its definition or its pause changed: a
// time that has come and did not fire yet stays due; else the next after now, and never one up to
// FiredAt. The zero: it is not due by itself.
func (j Job) Due(now time.Time) time.Time {
	s, err := j.Definition.Schedule()
	if err != nil || !j.Ready() || j.Paused {
		return time.Time{}
	}
	came := !j.NextAt.IsZero() && !j.NextAt.After(now) && j.NextAt.After(j.FiredAt)
	if came && s.Next(j.NextAt.Add(-1)).Equal(j.NextAt) {
		return j.NextAt
	}
	return s.Next(j.notBefore(now))
}

// notBefore returns the time after which the next one is looked for: after now, the clock was set back.
func (j Job) notBefore(now time.Time) time.Time {
	if j.FiredAt.After(now) && j.FiredAt.Sub(now) <= farAhead {
		return j.FiredAt
	}
	return now
}

// Fire says what becomes of a job that is due. open are its open runs, oldest first. It has no effect but on the roster,
// and there the same one when it is asked again.
func Fire(j Job, open []Run, roster *Roster, now time.Time) Firing {
	if j.NextAt.IsZero() || j.NextAt.After(now) {
		return Firing{Next: j.NextAt}
	}
	s, err := j.Definition.Schedule()
	if err != nil || s == (Schedule{}) || !j.Ready() || j.Paused {
		return Firing{}
	}
	floor := j.notBefore(now)
	f := Firing{Next: s.Next(floor)}
	if floor.After(now) {
		return f
	}
	f.FiredAt, f.Missed = s.passed(j.NextAt, now)
	if now.Sub(f.FiredAt) > j.Definition.StartDeadline {
		return f
	}
	f.At, f.Missed = f.FiredAt, f.Missed-1
	f.Runs, f.Replace = firing(j.run(f.At, now), open, roster, now)
	return f
}

// passed returns the newest time up to now that is due, first or after it, and how many there are.
func (s Schedule) passed(first, now time.Time) (newest time.Time, count int) {
	newest, count = first, 1
	for count < MaxMissed {
		next := s.Next(newest)
		if next.IsZero() || next.After(now) {
			return newest, count
		}
		newest, count = next, count+1
	}
	return s.last(newest, now), count
}

// last returns the newest time up to now, which is since or after it. It looks back twice as far each time.
func (s Schedule) last(since, now time.Time) time.Time {
	for back := time.Minute; since.Before(now.Add(-back)); back *= 2 {
		next := s.Next(now.Add(-back))
		if next.IsZero() || next.After(now) {
			continue
		}
		for !next.IsZero() && !next.After(now) {
			since, next = next, s.Next(next)
		}
		return since
	}
	for next := s.Next(since); !next.IsZero() && !next.After(now); next = s.Next(next) {
		since = next
	}
	return since
}

// run returns a run of what the job's newest readable commit says, for a time of its schedule.
func (j Job) run(at, now time.Time) Run {
	id := core.RunID(core.NewID(core.PrefixRun, now))
	return Run{ID: id, Fire: id, Job: j.ID, State: RunQueued, Trigger: TriggerCron, Actor: access.System.Name, ScheduledAt: at,
		Commit: j.Commit, Definition: j.Definition, Configs: j.Configs, Attempt: 1, QueuedAt: now}
}

// firing returns what becomes of the first run of a time, and of the open ones.
func firing(r Run, open []Run, roster *Roster, now time.Time) (starts []Start, replace []core.RunID) {
	if refused := refuse(r, now); refused != nil {
		return []Start{{Run: *refused}}, nil
	}
	if len(open) == 0 {
		return begin(r, roster, "fire "+string(r.Job), now), nil
	}
	switch r.Definition.Overlap {
	case OverlapReplace:
		return []Start{{Run: r}}, replaced(open)
	case OverlapQueue:
		if waiting(open) >= MaxWaiting {
			r = r.skip(now, "run.queue_full", "%d runs of this job were waiting already, which is the most. Cancel some of them, or have the job run less often.", MaxWaiting)
		}
		return []Start{{Run: r}}, nil
	}
	return []Start{{Run: r.overlapped(open[0], now)}}, nil
}

// replaced returns those of open runs that nobody stops already.
func replaced(open []Run) (ids []core.RunID) {
	for _, r := range open {
		if !r.Cancelling {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// waiting counts the runs that have no command.
func waiting(open []Run) (count int) {
	for _, r := range open {
		if r.Command == "" {
			count++
		}
	}
	return count
}
