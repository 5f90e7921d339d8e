package worker

import (
	"context"
	"errors"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// attend stays with a container that was started until it has ended. When the worker stops it is left alone, and
// the next worker attends it.
func (s *steps) attend(ctx context.Context, w *work, c runs.Container) error {
	w.at(runRunning)
	w.phase = "the run of its container"
	w.feed.Started(c.Ran(s.now()))
	log := s.tellLog(w)
	defer log.stop()
	why := s.outlast(ctx, w, c)
	if errors.Is(why, errStopping) {
		return why
	}
	if why == nil {
		why = endings[w.run.ending] // by the worker before
	}
	last, found, err := s.findRun(ctx, w)
	switch {
	case err != nil:
		return err
	case !found:
		return lost()
	}
	if unwanted(ctx) {
		return why
	}
	if err := log.finish(s.life); err != nil {
		return err
	}
	w.run.last = &last
	s.tally.ran(last.Ran(last.FinishedAt))
	return verdict(why, last, w.run.Timeout)
}

// outlast waits until the container has ended, and ends it when its time is over or it is not wanted. It returns why it
// was ended: nil when it ended by itself.
func (s *steps) outlast(ctx context.Context, w *work, c runs.Container) error {
	awaiting, cancel := context.WithCancel(ctx)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.untilGone(awaiting, w.run.container)
	}()
	defer func() {
		cancel()
		<-gone
	}()
	timer := time.NewTimer(w.run.Timeout - c.Ran(s.now()))
	defer timer.Stop()
	why := endings[w.run.ending]
	if why != nil {
		return s.end(w, why)
	}
	select {
	case <-gone:
		if ctx.Err() == nil {
			return nil
		}
		why = context.Cause(ctx)
	case <-timer.C:
		why = errTimedOut
	case <-ctx.Done():
		why = context.Cause(ctx)
	}
	if errors.Is(why, errStopping) {
		return why
	}
	return s.end(w, why)
}

// untilGone waits for the end of a container, also while the engine is away.
func (s *steps) untilGone(ctx context.Context, container string) {
	for s.engine.AwaitRun(ctx, container) != nil {
		if pause(ctx, nil, engineAgain) != nil {
			return
		}
	}
}

// endings are what the journal says of why a container is stopped.
var endings = map[journal.Ending]error{journal.EndCancelled: errCancelled, journal.EndTimeout: errTimedOut}

// noteEnding journals why a container is about to be stopped: the next worker would take its exit for its own. A disk that
// does not take that is no reason to let it go on.
func (s *steps) noteEnding(w *work, why error) {
	for ending, is := range endings {
		if !errors.Is(why, is) {
			continue
		}
		if err := s.journal.Ending(keyOf(w.cmd), ending); err != nil {
			s.log.Warn("why a container is stopped could not be journaled", "command", w.cmd.ID, "error", err)
		}
	}
}

// end stops a container, however long the engine is away, unless it has ended by itself meanwhile.
func (s *steps) end(w *work, why error) error {
	if c, found, err := s.engine.FindRun(s.life, w.run.container); err == nil && (!found || c.State != runs.Running) {
		return nil
	}
	s.noteEnding(w, why)
	w.line("The container is stopped: " + why.Error() + ".")
	for {
		ctx, cancel := context.WithTimeout(s.life, stopWithin)
		err := s.engine.StopRun(ctx, w.run.container)
		cancel()
		if err == nil {
			return why
		}
		if err := pause(s.life, nil, engineAgain); err != nil {
			return err
		}
	}
}

// removeRun removes the container that was made for a command, whatever it is at, within a while, and reports whether there
// was one. What is left the sweep finds.
func (s *steps) removeRun(ctx context.Context, container, command string) (found bool) {
	ctx, cancel := context.WithTimeout(ctx, stopWithin+removeWithin)
	defer cancel()
	c, found, err := s.engine.FindRun(ctx, container)
	if err == nil && (!found || c.Labels[runs.LabelCommand] != command) {
		return found // a newer attempt has its place
	}
	if err == nil {
		err = s.engine.StopRun(ctx, container)
	}
	if err == nil {
		err = s.engine.RemoveRun(ctx, container)
	}
	if err != nil {
		s.log.Warn("the container of a run could not be removed; it is tried again in a day", "container", container, "error", err)
	}
	return true
}

// resume goes on with the runs whose containers an earlier worker started, without waiting for the hub.
func (c *commands) resume() {
	for _, e := range c.journal.Entries() {
		if e.Run == nil || !e.Launched || e.Result != nil {
			continue
		}
		cmd := wire.Command{ID: e.ID, Attempt: e.Attempt, Kind: e.Kind}
		c.start(e.Key, newWork(cmd, e), c.runs.enter(e.Run.ID))
	}
}

// clear removes the container of a run of which nothing is wanted any more, and then forgets the run: while it is
// journaled, its container is known.
func (c *commands) clear(e journal.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping || c.clearing[e.Key] {
		return // the hub says it again
	}
	c.clearing[e.Key] = true
	c.children.Go(func() {
		if !c.steps.removeRun(c.life, newRunWork(e).container, commandLabel(e.Key)) && e.Starts > 0 && !e.Launched {
			c.lookLater()
		}
		if c.life.Err() == nil {
			c.prune(e.Key)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.clearing, e.Key)
	})
}
