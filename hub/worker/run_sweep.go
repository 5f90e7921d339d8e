package worker

import (
	"context"
	"time"

	"berth/core"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// graceOf is how long a result waits for the last lines of its log.
func (c *commands) graceOf(key journal.Key) time.Duration {
	if e, found := c.journal.Get(key); found && e.Run != nil {
		return runLogGrace
	}
	return logGrace
}

// sweep removes now and then what runs have left behind, until ctx ends: containers of which the journal knows nothing,
// because the worker died before it had removed them, and files that nothing mounts any more.
func (c *commands) sweep(ctx context.Context) {
	for wait := sweepFirst; pause(ctx, c.late, wait) == nil; wait = sweepEvery {
		if pause(ctx, nil, lateAfter) != nil {
			return
		}
		if err := c.steps.sweepRuns(ctx, c.runsKnown); err != nil && ctx.Err() == nil {
			c.log.Warn("containers that runs have left behind could not be removed; it is tried again", "error", err)
		}
		c.steps.shelf.Lock()
		c.steps.collect()
		c.steps.shelf.Unlock()
	}
}

// lookLater has what was left behind looked for soon: the engine may still be making a container, though nobody waits for
// that any more. It never blocks.
func (c *commands) lookLater() {
	select {
	case c.late <- struct{}{}:
	default:
	}
}

// runsKnown returns the runs that the journal has.
func (c *commands) runsKnown() map[core.RunID]bool {
	known := map[core.RunID]bool{}
	for _, e := range c.journal.Entries() {
		if e.Run != nil {
			known[e.Run.ID] = true
		}
	}
	return known
}

func (s *steps) sweepRuns(ctx context.Context, known func() map[core.RunID]bool) error {
	limited, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	list, err := s.engine.RunContainers(limited, s.self)
	if err != nil {
		return err
	}
	runsKnown := known() // after the look: what is made meanwhile was known before
	for _, c := range list {
		if !runsKnown[core.RunID(c.Labels[runs.LabelRun])] && leftOver(c, s.now()) {
			s.log.Info("the container of a run that nothing knows is removed", "container", c.Name)
			s.removeRun(ctx, c.Name, c.Labels[runs.LabelCommand])
		}
	}
	return nil
}

// leftOver reports whether nobody can want a container any more of which the journal knows nothing. One that never ran has
// nothing to show.
func leftOver(c runs.Container, now time.Time) bool {
	switch c.State {
	case runs.Running:
		return now.Sub(c.StartedAt) > strayAfter
	case runs.Exited:
		return now.Sub(c.FinishedAt) > leftoverAfter
	}
	return true
}
