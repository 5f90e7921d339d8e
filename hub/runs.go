package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/wire"
)

// endRun stores how a run ended, together with what the recorder knows of it and text as the last words of its log. outcome
// is asked with when its container was started. It reports whether the run has ended by this.
func (h *Hub) endRun(ctx context.Context, id core.RunID, text string, outcome func(startedAt time.Time) jobs.Outcome) (ended bool, err error) {
	var state jobs.RunState
	ended, err = h.runs.end(ctx, id, text, func(startedAt time.Time) jobs.Outcome {
		o := outcome(startedAt)
		state = o.State
		return o
	})
	if ended {
		h.opts.Meter.RunEnded(state)
		h.runEnded()
	}
	return ended, err
}

// runEnded lets those go on that may have waited for the end of a run, wherever they are looked after.
func (h *Hub) runEnded() {
	h.figures.wake()
	h.RunEnded()
	if _, lead := h.members.now(); h.opts.Peers != nil && lead == nil {
		h.endings.wake()
	}
}

// RunEnded lets those go on that may have waited for the end of a run: another run of its job, a deployment of
// its stack. It never blocks.
func (h *Hub) RunEnded() {
	h.clock.wake()
	if h.unpark(waitsForRuns, nil) {
		h.goOn()
	}
}

// endingsRest keeps many ends from becoming as many calls.
const endingsRest = 200 * time.Millisecond

// tellEndings tells the hub that leads that runs have ended here.
func (h *Hub) tellEndings(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, decideTime)
	defer cancel()
	h.opts.Peers.RunEnded(short)
	wait(ctx, endingsRest)
}

// passRunCancelsOn tells the workers whose links are here which of their runs are to be stopped. They are told at
// each look, until they say how it ended.
func (h *Hub) passRunCancelsOn(ctx context.Context) {
	if !h.busyWithRuns() {
		return
	}
	all, err := h.opts.Store.CancelledRuns(ctx)
	if err != nil {
		h.report("runs that are to be stopped cannot be read", err)
		return
	}
	for _, r := range all {
		if s := h.session(r.Worker); s != nil {
			s.link.TrySend(wire.Cancel{ID: r.Command, Attempt: runAttempt})
		}
	}
}

// runAttempt is the attempt of every command of a run: another attempt at a run is a run of its own.
const runAttempt = 1

// busyWithRuns reports whether a worker that is linked here has a run.
func (h *Hub) busyWithRuns() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.running.Load() {
			return true
		}
	}
	return false
}
