package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/jobs"
)

// What the metrics show of all stacks is read again when something that was done here may have changed
// it, and at least every figuresEvery; never so often that reading takes more than a twentieth of the time.
const (
	figuresEvery = 15 * time.Second
	figuresRest  = time.Second
	figuresShare = 20
	sizeEvery    = time.Minute // the database's size, which changes slowly and is not free to ask for
	jobsEvery    = time.Minute // jobs, while nothing was done here: when each should have ended well is not free to find out
)

// figures is the wish that they are read again.
type figures struct {
	wakes chan struct{} // holds one
}

// wake makes the hub that leads read them soon. It never blocks.
func (f *figures) wake() {
	select {
	case f.wakes <- struct{}{}:
	default:
	}
}

// tellFigures keeps the metrics of all stacks true, until ctx ends: from then on this hub shows none.
func (h *Hub) tellFigures(ctx context.Context) {
	defer h.opts.Meter.Unknow()
	var sized, told time.Time
	w := withdrawals{since: h.opts.Now()}
	woken := true
	for ctx.Err() == nil {
		began := time.Now()
		h.safely("figures", func() { h.readFigures(ctx) })
		if woken || began.Sub(told) >= jobsEvery {
			told = began
			h.safely("figures of jobs", func() { h.readJobFigures(ctx, &w) })
		}
		if began.Sub(sized) >= sizeEvery {
			sized = began
			h.safely("size", func() { h.readSize(ctx) })
		}
		rest := max(figuresRest, figuresShare*time.Since(began))
		wait(ctx, rest)
		woken = h.figures.wait(ctx, figuresEvery-rest)
	}
}

// wait waits for d, for a wish, or until ctx ends; it reports whether there was a wish.
func (f *figures) wait(ctx context.Context, d time.Duration) (woken bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-f.wakes:
		return true
	case <-timer.C:
	}
	return false
}

func (h *Hub) readFigures(ctx context.Context) {
	all, err := h.opts.Store.Figures(ctx)
	if err == nil {
		h.opts.Meter.Know(all)
	}
	h.report("what the metrics show of stacks cannot be read", err)
}

func (h *Hub) readJobFigures(ctx context.Context, w *withdrawals) {
	now := h.opts.Now()
	known, err := h.opts.Store.JobFigures(ctx)
	if err == nil {
		h.opts.Meter.KnowJobs(known)
		for range w.news(known.Withdrawn, now) {
			h.opts.Meter.RunEnded(jobs.RunCancelled)
		}
	}
	h.report("what the metrics show of jobs cannot be read", err)
}

// withdrawals are the runs that were counted as cancelled before they began.
type withdrawals struct {
	since time.Time           // those of before were counted, or by whoever led then
	seen  map[core.RunID]bool // those since, of which the store told the last time
}

// clocksApart is by how much the clocks of the processes of one installation may differ.
const clocksApart = time.Minute

// news returns those that are to be counted now.
func (w *withdrawals) news(all []jobs.Withdrawal, now time.Time) (news []jobs.Withdrawal) {
	seen := map[core.RunID]bool{}
	for _, r := range all {
		if !w.seen[r.Run] && !r.At.Before(w.since) {
			news = append(news, r)
		}
		seen[r.Run] = true
	}
	w.seen = seen
	if from := now.Add(-clocksApart); from.After(w.since) {
		w.since = from
	}
	return news
}

func (h *Hub) readSize(ctx context.Context) {
	bytes, err := h.opts.Store.Size(ctx)
	if err == nil {
		h.opts.Meter.StoreSize(bytes)
	}
	h.report("the size of the database cannot be read", err)
}
