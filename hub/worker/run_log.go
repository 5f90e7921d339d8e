package worker

import (
	"context"
	"sync"
	"sync/atomic"

	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
	"berth/hub/worker/runs"
)

// logTail has what a run's container writes told to the hub, beside the run itself.
type logTail struct {
	work *work

	ctx   context.Context
	stop  context.CancelFunc // ends it and waits for that
	ended chan struct{}      // closed when the container has ended
	room  context.Context    // ends then as well: from then on the hub is not waited for
	done  chan struct{}      // closed when all was told, is told later, or cannot be
}

// tellLog begins. The caller calls stop, and before, when the container has ended, finish.
func (s *steps) tellLog(w *work) *logTail {
	ctx, cancel := context.WithCancel(s.life)
	room, full := context.WithCancel(ctx)
	l := &logTail{work: w, ctx: ctx, ended: make(chan struct{}), room: room, done: make(chan struct{})}
	var children sync.WaitGroup
	children.Go(func() {
		select {
		case <-l.ended:
		case <-ctx.Done():
		}
		full()
	})
	children.Go(func() {
		defer close(l.done)
		l.run(s)
	})
	l.stop = func() {
		cancel()
		children.Wait()
	}
	return l
}

// finish waits until all of the log was told that the hub takes at once; the rest is told when the result is journaled.
// Until the hub has said what it has, nothing can be told.
func (l *logTail) finish(ctx context.Context) error {
	close(l.ended)
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *logTail) run(s *steps) {
	var from position
	select {
	case from = <-l.work.run.resume:
	case <-l.ctx.Done():
		return
	}
	if from.unknown {
		l.work.feed.Line("… the worker was restarted; lines may stand here twice …")
	}
	r := logReading{steps: s, container: l.work.run.container, secret: l.work.run.Secret, feed: l.work.feed, ended: l.ended, room: l.room}
	if !r.read(l.ctx, from.after) && l.ctx.Err() == nil {
		l.work.feed.Line("… the end of the log could not be read …")
	}
}

// logReading hands on what a container writes, and again what the hub turns out not to have.
type logReading struct {
	steps     *steps
	container string
	secret    []string
	feed      *outbox.Feed
	ended     <-chan struct{} // closed when the container has ended: from then on an engine that is stuck is not waited for
	room      context.Context // while the hub is waited for; when it is not, the rest is told later

	told  atomic.Uint64 // lines
	waits atomic.Bool   // for the hub, and not for the engine
}

// read tells what comes after a position until the container has ended, however often that breaks off. It reports false
// when ctx has ended, or the engine does not get on.
func (r *logReading) read(ctx context.Context, after runs.Position) (whole bool) {
	reading, enough := context.WithCancel(ctx)
	var limit sync.WaitGroup
	limit.Go(func() { r.limit(reading, enough) })
	defer limit.Wait()
	defer enough()
	for {
		later, err := r.follow(reading, &after)
		switch to, again := r.feed.Later(); {
		case again:
			after = runs.ParsePosition(to)
		case later && ctx.Err() == nil:
			r.feed.Postpone(after.String())
			return true
		case err == nil:
			return true
		case pause(reading, nil, engineAgain) != nil:
			return false
		}
	}
}

// follow tells what comes after a position, which it moves. later: not all of it, because that is not wanted now.
func (r *logReading) follow(ctx context.Context, after *runs.Position) (later bool, err error) {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	r.feed.OnAgain(enough)
	defer r.feed.OnAgain(nil)
	err = r.steps.engine.FollowRun(ctx, r.container, runs.LogAsk{After: *after, Secret: r.secret}, func(to runs.Position, text string) error {
		r.waits.Store(true)
		defer r.waits.Store(false)
		if err := r.feed.Tell(r.room, text, to.String()); err != nil {
			later = true
			return err
		}
		*after = to
		r.told.Add(1)
		return ctx.Err()
	})
	return later, err
}

// limit ends the reading of a container that has ended when the engine hands on nothing for a while.
func (r *logReading) limit(ctx context.Context, enough context.CancelFunc) {
	if pause(ctx, r.ended, -1) != nil {
		return
	}
	for before := r.told.Load(); pause(ctx, nil, logWithin) == nil; before = r.told.Load() {
		if !r.waits.Load() && r.told.Load() == before {
			enough()
		}
	}
}

// retell has what the hub does not have of the log of a run that has ended read from its container, which is there until
// the result is acknowledged. It is for what is not in memory any more, and does not wait.
func (c *commands) retell(e journal.Entry, from position) {
	base := max(from.heard, uint64(max(e.Starts, 1))*numbersPerStart)
	feed := c.box.Open(e.Key, base)
	feed.Postpone(from.after.String())
	c.tellRest(e, feed, base)
}

// tellRest tells what was left for later of the log of a run that has ended. Events up to base are none of it.
func (c *commands) tellRest(e journal.Entry, feed *outbox.Feed, base uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return // the feed is not finished, and its result waits for the next worker
	}
	c.children.Go(func() {
		for to, more := feed.Later(); more; to, more = feed.Later() {
			if told := c.steps.tellRest(c.life, e, feed, runs.ParsePosition(to)); c.life.Err() != nil {
				return // as above
			} else if !told {
				feed.Line(linesMissing)
			}
			last := feed.Last()
			if last == base {
				last = 0
			}
			c.mu.Lock()
			c.retold[e.Key] = last
			c.mu.Unlock()
			if feed.Finish() {
				return
			}
		}
	})
}

// tellRest reports whether all that the container wrote after a position was told.
func (s *steps) tellRest(ctx context.Context, e journal.Entry, feed *outbox.Feed, after runs.Position) bool {
	ended := make(chan struct{})
	close(ended)
	r := logReading{steps: s, container: newRunWork(e).container, secret: e.Run.Secret, feed: feed, ended: ended, room: ctx}
	return r.read(ctx, after)
}
