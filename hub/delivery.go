package hub

import (
	"context"
	"time"

	"berth/core/stacks"
)

// delivery sends the commands of one lane: what keeps those of another waiting, such as a provider of secrets that
// does not answer, is not this one's.
type delivery struct {
	chore
	lane lane
	bad  complaint // of the goroutine that delivers: commands that cannot be read
}

// line returns the delivery of a lane.
func (s *session) line(l lane) *delivery {
	if l == laneRuns {
		return &s.jobs
	}
	return &s.stacks
}

// deliver sends the commands of a lane that were not sent on this link yet, oldest first. It ends the link when
// it cannot go on: on the next one it begins anew.
func (s *session) deliver(ctx context.Context, d *delivery) {
	if ctx.Err() != nil {
		return
	}
	heldBack, err := s.deliverOpen(ctx, d)
	if err != nil {
		s.h.report("commands cannot be sent", err, "worker", s.worker.ID)
		s.end(err)
	}
	if heldBack {
		wait(ctx, roomRest)
	}
}

// roomRest keeps a worker that has no place for more from being looked at anew after each of many results.
const roomRest = 20 * time.Millisecond

// deliverOpen is one look at what there is to send; heldBack says that there was no place for some of it.
func (s *session) deliverOpen(ctx context.Context, d *delivery) (heldBack bool, err error) {
	open, err := s.h.opts.Store.OldestCommands(ctx, s.worker.ID, bool(d.lane), d.lane.looksAt())
	if d.bad.tell(err, s.h.opts.Now()) {
		s.h.report("a worker's commands cannot be read", err, "worker", s.worker.ID)
	}
	if err != nil && !unreadable(err) {
		return false, err
	}
	unsent, inFlight := s.unsent(open)
	s.tellsOf(d.lane, inFlight > 0)
	for _, c := range unsent {
		if inFlight >= d.lane.places() {
			return true, nil // the next result wakes us
		}
		inFlight++
		s.tellsOf(d.lane, true)
		var err error
		s.h.attempt(c.ID, func() { err = s.send(ctx, c) }, func() { err = s.unsendable(ctx, c, s.order(c).defect()) })
		if unreadable(err) {
			s.h.report("a command cannot be sent", err, "command", c.ID) // and waits; the others go on
			continue
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// unsent returns what of a lane's open commands is to be sent, and how many of them the worker has by this link.
func (s *session) unsent(open []stacks.Command) (unsent []stacks.Command, inFlight int) {
	for _, c := range open {
		switch {
		case c.Epoch == s.epoch || s.ended[c.ID] == c.Attempt: // it has the command, or its result
			inFlight++
		case c.State == stacks.CommandQueued && s.h.opts.Now().Before(c.DeadlineAt) || laneOf(c) == laneRuns && !s.runs:
		default:
			unsent = append(unsent, c)
		}
	}
	return unsent, inFlight
}

// tellsOf notes whether the worker has a run.
func (s *session) tellsOf(l lane, some bool) {
	if l == laneRuns {
		s.running.Store(some)
	}
}
