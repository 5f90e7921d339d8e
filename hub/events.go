package hub

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// eventProgress is how far the events of a command have come.
type eventProgress struct {
	deployment core.DeploymentID // empty: the command has no log, or has ended
	restore    bool              // the last good revision is put back: the phases are those of what failed
}

// own returns the deployment of one of this worker's commands.
func (s *session) own(ctx context.Context, id core.CommandID) (*eventProgress, error) {
	if known := s.events[id]; known != nil {
		return known, nil
	}
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, id)
	if unreadable(err) {
		return &eventProgress{}, nil
	}
	if err != nil {
		return nil, err
	}
	progress := &eventProgress{restore: c.Body.Restore}
	if c.Deployment != "" && !closed(c) {
		if err := s.h.recorder.track(ctx, c.Deployment); err != nil && !unreadable(err) {
			return nil, err
		}
		progress.deployment = c.Deployment
	}
	s.events[id] = progress
	return progress, nil
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
	if fault.Is(err, fault.NotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if text := "worker " + s.worker.Hostname + " has it"; progress.restore {
		s.h.recorder.line(progress.deployment, inRestore(text+"\n"))
	} else {
		s.h.recorder.phase(progress.deployment, stacks.PhaseDispatch, stacks.PhaseSucceeded, text)
	}
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
	s.h.recorder.hear(progress.deployment, m, progress.restore, func(p *stacks.Progress) {
		if m.Phase != nil && !progress.restore {
			p.Phases = s.h.withPhase(p.Phases, *m.Phase)
		}
	})
	return nil
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
