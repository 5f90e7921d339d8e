package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
)

// timekeeper knows when the hub that leads has to look after jobs again.
type timekeeper struct {
	wakes chan struct{} // holds one

	// Of the goroutine that keeps time.
	dealt    map[core.WorkerID]time.Time // when a worker was given a run last, by this hub
	bad      complaint                   // jobs that cannot be read
	read     time.Time                   // the wall clock at the last pass; zero: there was none yet
	tookBack time.Time                   // when runs were taken back last, by the clock that is not set
}

func newTimekeeper() *timekeeper {
	return &timekeeper{wakes: make(chan struct{}, 1), dealt: map[core.WorkerID]time.Time{}}
}

// wake makes the hub look after jobs soon. It never blocks.
func (t *timekeeper) wake() {
	select {
	case t.wakes <- struct{}{}:
	default:
	}
}

// Limits of how jobs are looked after.
const (
	firePage     = 500                   // jobs that fire in one transaction
	passRest     = 20 * time.Millisecond // at least, between two passes
	longRest     = time.Second           // at most, after a pass that took long
	afterTrouble = time.Second           // until the next pass after one that failed
)

// keepTime fires jobs that are due and begins runs that wait, until ctx ends. While nothing is due it sleeps; the clock
// may be set and a nudge may be lost, so that it looks every reread all the same.
func (h *Hub) keepTime(ctx context.Context) {
	h.clock.read, h.clock.tookBack = time.Time{}, time.Time{}
	for ctx.Err() == nil {
		began := time.Now()
		next := h.opts.Now().Add(afterTrouble)
		h.safely("jobs", func() { next = h.passTime(ctx) })
		rest := min(longRest, max(passRest, time.Since(began)))
		wait(ctx, rest)
		h.clock.wait(ctx, min(next.Sub(h.opts.Now()), reread))
	}
}

// wait waits for d, for a wake, or until ctx ends.
func (t *timekeeper) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-t.wakes:
	case <-timer.C:
	}
}

// passTime does what is due, and returns when something is due next.
func (h *Hub) passTime(ctx context.Context) (next time.Time) {
	next = h.opts.Now().Add(reread)
	p := &pass{h: h}
	for _, step := range []func(context.Context) (time.Time, error){p.setDue, p.takeBack, p.fireDue, p.beginWaiting} {
		at, err := step(ctx)
		if fault.CodeOf(err) != "store.disk_full" { // of that the store tells once
			h.report("jobs cannot be looked after; it is tried again", err)
		}
		if err != nil {
			at = h.opts.Now().Add(afterTrouble)
		}
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// pass is one look after jobs.
type pass struct {
	h      *Hub
	dealer *jobs.Roster // of the workers as they are in this pass; nil until it is needed
}

// setBack is by how much the wall clock is set back before that is more than it going right.
const setBack = time.Minute

// setDue says anew when jobs are due, at first and whenever the clock was set back: what is due next was found by a clock
// that may have been wrong, or by other rules of time zones.
func (p *pass) setDue(ctx context.Context) (next time.Time, err error) {
	now := p.h.opts.Now().Round(0) // the wall clock alone
	if read := p.h.clock.read; read.IsZero() || now.Before(read.Add(-setBack)) {
		err = p.h.opts.Store.SetDue(ctx, func(j jobs.Job) time.Time { return j.Due(now) })
	}
	if err == nil {
		p.h.clock.read = now
	}
	return next, err
}

// takeBackEvery is how often is looked for runs that were dealt to a worker which is not there: while many runs
// end, passes are much more frequent.
const takeBackEvery = time.Second

// takeBack lets the runs wait again that were dealt to a worker which left before it was told.
func (p *pass) takeBack(ctx context.Context) (next time.Time, err error) {
	if since := time.Since(p.h.clock.tookBack); since < takeBackEvery {
		return p.h.opts.Now().Add(takeBackEvery - since), nil
	}
	p.h.clock.tookBack = time.Now()
	return next, p.h.opts.Store.TakeBackRuns(ctx)
}

// fireDue fires what is due, a page at a time.
func (p *pass) fireDue(ctx context.Context) (next time.Time, err error) {
	h, seen := p.h, map[core.JobID]bool{}
	for {
		now := h.opts.Now()
		due, next, err := h.opts.Store.DueJobs(ctx, now, firePage)
		if h.clock.bad.tell(err, now) {
			h.report("jobs that are due cannot be read", err)
		}
		if err != nil && !unreadable(err) {
			return next, err
		}
		var ids []core.JobID
		for _, j := range due {
			if !seen[j.ID] && !h.defects.aside(j.ID, now) {
				ids = append(ids, j.ID)
			}
			seen[j.ID] = true
		}
		if len(ids) == 0 && len(due) > 0 {
			return now.Add(afterTrouble), nil // another has them, or they are set aside
		}
		if len(ids) == 0 {
			return next, nil
		}
		if err := p.fire(ctx, ids, now); err != nil {
			return next, err
		}
	}
}

func (p *pass) fire(ctx context.Context, ids []core.JobID, now time.Time) error {
	roster, err := p.roster(ctx)
	if err != nil {
		return err
	}
	return p.each(ctx, ids, func(ctx context.Context, some []core.JobID) ([]jobs.Run, error) {
		runs, err := p.h.opts.Store.Fire(ctx, some, now, func(j jobs.Job, open []jobs.Run) (f jobs.Firing) {
			if p.h.safely(j.ID, func() { f = p.h.opts.decisions.fire(j, open, roster, now) }) {
				return p.h.givenUp(j, now)
			}
			return f
		})
		if err == nil {
			p.h.figures.wake() // when they are due next is new, even where nothing fired
		}
		for _, r := range runs {
			if r.ID == r.Fire {
				p.h.opts.Meter.JobFired(p.h.opts.Now().Sub(r.ScheduledAt))
			}
		}
		return runs, err
	})
}

// givenUp is what becomes of a time about which a defect keeps anything else from being decided: it is missed, and the job is
// due again at its next one.
func (h *Hub) givenUp(j jobs.Job, now time.Time) jobs.Firing {
	f := jobs.Firing{Missed: 1, FiredAt: j.NextAt, Next: now.Add(asideFor)}
	h.safely(j.ID, func() {
		if s, err := j.Definition.Schedule(); err == nil {
			f.Next = s.Next(now)
		}
	})
	return f
}

// decisions is what is decided about jobs.
type decisions struct {
	fire  func(jobs.Job, []jobs.Run, *jobs.Roster, time.Time) jobs.Firing // nil: none is given
	begin func(jobs.Job, []jobs.Run, *jobs.Roster, time.Time) jobs.Beginning
}

// beginningOf names, among what is set aside, the runs of a job that wait.
type beginningOf core.JobID

// beginWaiting begins the runs that can begin, gives up those that waited for too long, and returns when
// another look is due because of one that goes on waiting.
func (p *pass) beginWaiting(ctx context.Context) (next time.Time, err error) {
	now := p.h.opts.Now()
	waiting, next, err := p.h.opts.Store.WaitingRuns(ctx, now)
	waiting = slices.DeleteFunc(waiting, func(id core.JobID) bool { return p.h.defects.aside(beginningOf(id), now) })
	if err != nil || len(waiting) == 0 {
		return next, err
	}
	roster, err := p.roster(ctx)
	if err != nil {
		return next, err
	}
	for first := 0; first < len(waiting) && err == nil; first += firePage {
		err = p.each(ctx, waiting[first:min(first+firePage, len(waiting))], func(ctx context.Context, some []core.JobID) ([]jobs.Run, error) {
			return p.h.opts.Store.Begin(ctx, some, func(j jobs.Job, open []jobs.Run) (b jobs.Beginning) {
				panicked := p.h.safely(j.ID, func() { b = p.h.opts.decisions.begin(j, open, roster, now) })
				p.h.defects.note(beginningOf(j.ID), panicked, now)
				next = earlier(next, endOfPatience(open, now))
				return b
			})
		})
	}
	return next, err
}

// endOfPatience returns when the first of the waiting runs that may begin is to be given up; the zero: none is.
func endOfPatience(open []jobs.Run, now time.Time) (first time.Time) {
	for _, r := range open {
		if end := r.GiveUpAt().Add(time.Millisecond); r.State == jobs.RunQueued && r.Command == "" && end.After(now) {
			first = earlier(first, end)
		}
	}
	return first
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// each stores something about jobs in one transaction or, when something about one of them prevents that, each
// for itself: one that cannot be stored again and again is set aside, and the others go on.
func (p *pass) each(ctx context.Context, ids []core.JobID, store func(context.Context, []core.JobID) ([]jobs.Run, error)) error {
	runs, err := store(ctx, ids)
	if err == nil {
		p.handOut(ctx, runs)
		return nil
	}
	if ctx.Err() != nil || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Conflict) {
		return err
	}
	err = nil
	for _, id := range ids {
		runs, problem := store(ctx, []core.JobID{id})
		p.h.defects.note(id, problem != nil, p.h.opts.Now())
		p.handOut(ctx, runs)
		err = errors.Join(err, problem)
	}
	return err
}

// handOut tells the workers that were given runs.
func (p *pass) handOut(ctx context.Context, runs []jobs.Run) {
	h, now := p.h, p.h.opts.Now()
	told := map[core.WorkerID]bool{}
	for _, r := range runs {
		if r.State.Ended() {
			h.opts.Meter.RunEnded(r.State)
		}
		if r.Command == "" || r.State.Ended() || told[r.Worker] {
			continue
		}
		told[r.Worker], h.clock.dealt[r.Worker] = true, now
		if h.opts.Peers != nil && h.session(r.Worker) == nil {
			h.wakers.start(ctx, r.Worker, func(ctx context.Context) { h.opts.Peers.Wake(ctx, r.Worker) }) // a hint
		}
		h.Wake(r.Worker)
	}
	if len(runs) > 0 {
		h.figures.wake()
	}
}

// roster is the workers that may be given runs.
func (p *pass) roster(ctx context.Context) (*jobs.Roster, error) {
	if p.dealer != nil {
		return p.dealer, nil
	}
	workers, err := p.h.opts.Fleet.UsableWorkers(ctx)
	if err != nil {
		return nil, err
	}
	open, err := p.h.opts.Store.OpenRunsOf(ctx)
	if err != nil {
		return nil, err
	}
	var all []jobs.Candidate
	for _, w := range workers {
		if w.Online && w.Runs {
			all = append(all, jobs.Candidate{Worker: w.ID, Tags: w.Tags, Open: open[w.ID], ChosenAt: p.h.clock.dealt[w.ID]})
		}
	}
	p.dealer = jobs.NewRoster(all)
	return p.dealer, nil
}
