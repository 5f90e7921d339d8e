package worker

import (
	"context"
	"time"

	"berth/core/stacks"
	"berth/core/wire"
)

// deployPhases are the worker's phases of a deployment, in order.
var deployPhases = []stacks.PhaseName{stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify}

// during runs one phase and tells of its beginning and its end.
func (w *work) during(ctx context.Context, name stacks.PhaseName, work func() error) error {
	w.phase = "the phase " + string(name)
	w.feed.Phase(wire.PhaseEvent{Name: name, State: stacks.PhaseRunning})
	began := time.Now()
	err := work()
	event := wire.PhaseEvent{Name: name, State: stacks.PhaseSucceeded, DurationMS: time.Since(began).Milliseconds()}
	if err != nil {
		event.State = stacks.PhaseFailed
		event.Message = wire.Clip(w.redact.Redact(endingOf(ctx, err, w.phase).text), wire.MaxText)
	}
	w.phaseEnded(event)
	return err
}

// skip tells that a phase is not needed, and why.
func (w *work) skip(name stacks.PhaseName, why string) {
	w.phaseEnded(wire.PhaseEvent{Name: name, State: stacks.PhaseSkipped, Message: why})
}

func (w *work) phaseEnded(event wire.PhaseEvent) {
	w.phases = append(w.phases, event)
	w.feed.Phase(event)
}

// endedPhases returns every phase as it ended; those that were not reached are skipped.
func (w *work) endedPhases() []wire.PhaseEvent {
	phases := append([]wire.PhaseEvent{}, w.phases...)
	if w.cmd.Kind != wire.CommandDeploy {
		return phases
	}
	for _, name := range deployPhases[len(phases):] {
		phases = append(phases, wire.PhaseEvent{Name: name, State: stacks.PhaseSkipped})
	}
	return phases
}
