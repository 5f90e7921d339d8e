package hub

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// eventProgress is how far the events of a command have come.
type eventProgress struct {
	deployment core.DeploymentID // empty: the command has no log
	last       uint64
}

// restartJump is more than what can be missing: a worker that went on after a restart
// begins a new range of numbers.
const restartJump = 1 << 19

// own returns the deployment of one of this worker's commands.
func (s *session) own(ctx context.Context, id core.CommandID) (*eventProgress, error) {
	if known := s.events[id]; known != nil {
		return known, nil
	}
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, id)
	if err != nil {
		return nil, err
	}
	s.events[id] = &eventProgress{deployment: c.Deployment}
	return s.events[id], nil
}

func (s *session) accepted(ctx context.Context, m wire.Accepted) error {
	err := s.h.opts.Store.MarkAccepted(ctx, s.worker.ID, m.ID, m.Attempt, s.epoch)
	if fault.Is(err, fault.NotFound) {
		return s.strike("accepted")
	}
	if err != nil {
		return err
	}
	progress, err := s.own(ctx, m.ID)
	if err != nil {
		return err
	}
	s.h.recorder.phase(progress.deployment, stacks.PhaseDispatch, stacks.PhaseSucceeded, "worker "+s.worker.Hostname+" has it")
	return nil
}

// event records a phase or a piece of log of a running command.
func (s *session) event(ctx context.Context, m wire.Event) error {
	progress, err := s.own(ctx, m.ID)
	if fault.Is(err, fault.NotFound) {
		return s.strike("event")
	}
	if err != nil {
		return err
	}
	if progress.last != 0 && m.Number > progress.last+1 && m.Number-progress.last < restartJump {
		s.h.recorder.line(progress.deployment, fmt.Sprintf("[%d messages of the worker are missing]\n", m.Number-progress.last-1))
	}
	progress.last = max(progress.last, m.Number)
	s.h.recorder.line(progress.deployment, m.Log)
	if m.Phase != nil {
		s.h.recorder.update(progress.deployment, func(p *stacks.Progress) { p.Phases = s.h.withPhase(p.Phases, *m.Phase) })
	}
	return nil
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

// result closes a command and acknowledges it once that is committed. What cannot be
// stored is not acknowledged: the link ends and the worker repeats it on the next one.
func (s *session) result(ctx context.Context, m wire.Result) error {
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, m.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil {
		if err := s.strike("result"); err != nil {
			return err
		}
	}
	if err == nil && c.Attempt == m.Attempt {
		if err := s.close(ctx, c, m); err != nil {
			return err
		}
	}
	delete(s.events, m.ID)
	s.wake() // there is room for another command
	return s.link.Send(ctx, wire.ResultAck{ID: m.ID, Attempt: m.Attempt})
}

func (s *session) close(ctx context.Context, c stacks.Command, m wire.Result) error {
	if c.Kind == stacks.CommandTeardown {
		problem := ""
		if m.Status != wire.ResultSucceeded {
			problem = orElse(m.Error, "the worker did not say why")
		}
		err := s.h.opts.Store.EndTeardown(ctx, c, problem, s.h.opts.Now())
		if fault.Is(err, fault.NotFound) {
			return nil // it has ended before, and the stack may have been deployed since
		}
		if err != nil {
			return err
		}
		if problem == "" {
			s.h.report("a stack's files cannot be removed", s.h.opts.Files.RemoveStack(c.Stack), "stack", c.Stack)
		}
		return nil
	}
	d, err := s.h.opts.Store.Deployment(ctx, c.Deployment)
	if err != nil || d.State.Ended() {
		return err
	}
	if err := s.h.recorder.track(ctx, d); err != nil {
		return err
	}
	s.h.recorder.update(d.ID, func(p *stacks.Progress) {
		for _, phase := range m.Phases {
			p.Phases = s.h.withPhase(p.Phases, phase)
		}
	})
	state, text := outcome(m)
	if o := m.Observed; state == stacks.DeploymentSucceeded && o != nil && o.Revision != c.Body.Revision {
		state, m.Code = stacks.DeploymentFailed, "worker.other_revision"
		text = fmt.Sprintf("the worker reported success, but its host runs revision %d", o.Revision)
	}
	if text != "" {
		s.h.recorder.line(d.ID, text+"\n")
	}
	var seen []stacks.ContainerState
	if m.Observed != nil {
		seen = append([]stacks.ContainerState{}, m.Observed.Containers...)
	}
	return s.h.endNow(ctx, d.ID, state, m.Code, text, seen)
}

// outcome turns a worker's word into a deployment's end.
func outcome(m wire.Result) (stacks.DeploymentState, string) {
	switch m.Status {
	case wire.ResultSucceeded:
		return stacks.DeploymentSucceeded, ""
	case wire.ResultCancelled:
		return stacks.DeploymentCancelled, orElse(m.Error, "cancelled")
	case wire.ResultUnknown:
		return stacks.DeploymentLost, orElse(m.Error, "the worker was interrupted and cannot tell how it ended")
	}
	return stacks.DeploymentFailed, orElse(m.Error, "the worker did not say why")
}

func orElse(text, standard string) string {
	if text == "" {
		return standard
	}
	return text
}

// observed stores what the worker saw of its stacks.
func (s *session) observed(ctx context.Context, m wire.Observed) error {
	seen := make([]stacks.Observation, len(m.Stacks))
	for i, o := range m.Stacks {
		seen[i] = stacks.Observation{Stack: o.Stack, Containers: o.Containers}
	}
	_, err := s.h.opts.Store.SaveObserved(ctx, s.worker.ID, seen, m.Complete, s.h.opts.Now())
	return err
}
