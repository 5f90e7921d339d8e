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
func (j *job) during(ctx context.Context, name stacks.PhaseName, work func() error) error {
	j.phase = "the phase " + string(name)
	j.feed.Phase(wire.PhaseEvent{Name: name, State: stacks.PhaseRunning})
	began := time.Now()
	err := work()
	event := wire.PhaseEvent{Name: name, State: stacks.PhaseSucceeded, DurationMS: time.Since(began).Milliseconds()}
	if err != nil {
		event.State = stacks.PhaseFailed
		event.Message = wire.Clip(j.redact.Redact(endingOf(ctx, err, j.phase).text), wire.MaxText)
	}
	j.phaseEnded(event)
	return err
}

// skip tells that a phase is not needed, and why.
func (j *job) skip(name stacks.PhaseName, why string) {
	j.phaseEnded(wire.PhaseEvent{Name: name, State: stacks.PhaseSkipped, Message: why})
}

func (j *job) phaseEnded(event wire.PhaseEvent) {
	j.phases = append(j.phases, event)
	j.feed.Phase(event)
}

// endedPhases returns every phase as it ended; those that were not reached are skipped.
func (j *job) endedPhases() []wire.PhaseEvent {
	phases := append([]wire.PhaseEvent{}, j.phases...)
	if j.cmd.Kind != wire.CommandDeploy {
		return phases
	}
	for _, name := range deployPhases[len(phases):] {
		phases = append(phases, wire.PhaseEvent{Name: name, State: stacks.PhaseSkipped})
	}
	return phases
}
