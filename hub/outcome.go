package hub

import (
	"context"
	"fmt"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// result closes a command and acknowledges it once that is committed. What cannot be
// stored is not acknowledged: the link ends and the worker repeats it on the next one.
func (s *session) result(ctx context.Context, m wire.Result) error {
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, m.ID)
	if unreadable(err) {
		s.keepBack(m, err)
		return nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil {
		if err := s.strike("result"); err != nil {
			return err
		}
	}
	if err == nil && c.Attempt == m.Attempt && !closed(c) {
		err := s.order(c).close(ctx, m)
		if unreadable(err) {
			s.keepBack(m, err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.done(m.ID)
	if err == nil {
		s.line(laneOf(c)).wake() // there is room for another command
	}
	return s.link.Send(ctx, wire.ResultAck{ID: m.ID, Attempt: m.Attempt})
}

// keepBack leaves a result about a row that cannot be read with the worker, which sends it again on
// the next link. Ending this one would hold up all its other stacks.
func (s *session) keepBack(m wire.Result, err error) {
	s.h.report("a result cannot be stored; the worker keeps it", err, "command", m.ID)
}

// deployOutcome turns a worker's word into the end of a command's deployment.
func deployOutcome(c stacks.Command, m wire.Result) stacks.Outcome {
	state, text := word(m)
	o := stacks.Outcome{Deployment: c.Deployment, Command: c.ID, State: state, ErrorCode: m.Code, Error: text, Service: m.Service, Lines: m.Lines}
	if seen := m.Observed; seen != nil {
		o.Containers = append([]stacks.ContainerState{}, seen.Containers...)
		if state == stacks.DeploymentSucceeded && (seen.Revision != c.Body.Revision || seen.Stack != c.Stack) {
			o.State, o.ErrorCode = stacks.DeploymentFailed, "worker.other_revision"
			o.Error = fmt.Sprintf("the worker reported success, but its host runs revision %d", seen.Revision)
		}
		if seen.Stack != c.Stack {
			o.Containers = nil
		}
	}
	if !c.Body.Restore {
		return o
	}
	if o.State == stacks.DeploymentSucceeded {
		o.State = stacks.DeploymentRolledBack
	}
	o.Error = notRestored(c, o.Error)
	return o
}

// notRestored tells what the end of a command means when it should have put the last good
// revision back.
func notRestored(c stacks.Command, problem string) string {
	if !c.Body.Restore || problem == "" {
		return problem
	}
	return fmt.Sprintf("revision %d could not be put back: %s", c.Body.Revision, problem)
}

// word is how a command ended by the worker's word.
func word(m wire.Result) (stacks.DeploymentState, string) {
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

// observed stores what the worker saw of its stacks. What cannot be stored of one of them is
// in the next complete report again; when nothing can be stored the link ends, which brings
// one soon.
func (s *session) observed(ctx context.Context, m wire.Observed) error {
	seen := make([]stacks.Observation, len(m.Stacks))
	for i, o := range m.Stacks {
		seen[i] = stacks.Observation{Stack: o.Stack, Containers: o.Containers}
	}
	told, last := s.report.take(m)
	complete := m.Complete || last
	seen = append(told, seen...)
	err := oneByOne(ctx, seen, func(ctx context.Context, some []stacks.Observation) error {
		changed, err := s.h.opts.Store.SaveObserved(ctx, s.worker.ID, some, complete, s.h.opts.Now())
		complete = false // those that come alone are not all
		if len(changed) > 0 {
			s.h.figures.wake()
		}
		return err
	})
	if ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	s.h.report("what a worker saw cannot be stored", err, "worker", s.worker.ID)
	return nil
}
