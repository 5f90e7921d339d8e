package hub

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// own returns what is done about one of this worker's commands; nil when nothing is, because it has ended or
// cannot be read.
func (s *session) own(ctx context.Context, id core.CommandID) (order, error) {
	if known, there := s.known(id); there {
		return known, nil
	}
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, id)
	if unreadable(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var known order
	if !closed(c) {
		known = s.order(c)
		if err := known.follow(ctx); err != nil && !unreadable(err) {
			return nil, err
		}
	}
	s.know(id, known)
	return known, nil
}

// known returns what own has found out of a command; nil: nothing is done about what comes.
func (s *session) known(id core.CommandID) (known order, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, there = s.orders[id]
	return known, there
}

func (s *session) know(id core.CommandID, known order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders[id] = known
}

func (s *session) done(id core.CommandID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.orders, id)
}

func (s *session) accepted(ctx context.Context, m wire.Accepted) error {
	err := s.h.opts.Store.MarkAccepted(ctx, s.worker.ID, m.ID, m.Attempt, s.epoch)
	if fault.Is(err, fault.NotFound) {
		return s.strike("accepted")
	}
	if err != nil {
		return err
	}
	order, err := s.own(ctx, m.ID)
	if fault.Is(err, fault.NotFound) {
		return nil // deleted meanwhile
	}
	if err == nil && order != nil {
		order.accepted()
	}
	return err
}

// event records what a worker says about a running command.
func (s *session) event(ctx context.Context, m wire.Event) error {
	order, err := s.own(ctx, m.ID)
	if fault.Is(err, fault.NotFound) {
		return s.strike("event")
	}
	if err == nil && order != nil {
		order.event(ctx, m)
	}
	return err
}

// inRestore marks lines of the log that are about putting the last good revision back.
func inRestore(text string) string {
	var marked strings.Builder
	for line := range strings.Lines(text) {
		marked.WriteString("restore: " + line)
	}
	return marked.String()
}

// withPhase puts what the worker says of a phase into a deployment's phases. Durations are
// the worker's, measured on its own clock; starts are by the hub's.
func (h *Hub) withPhase(phases []stacks.Phase, e wire.PhaseEvent) []stacks.Phase {
	now := h.opts.Now()
	out := stacks.SetPhase(phases, e.Name, e.State, e.Message, now)
	for i := range out {
		if out[i].Name == e.Name && e.State != stacks.PhaseRunning {
			out[i].DurationMS = e.DurationMS
		}
	}
	return out
}
