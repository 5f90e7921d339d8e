package worker

import (
	"context"
	"sync"

	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
	"berth/hub/worker/runs"
)

// logTail has what a run's container writes told to the hub, beside the run itself.
type logTail struct {
	steps *steps
	work  *work

	ctx   context.Context
	stop  context.CancelFunc // ends it and waits for that
	ended chan struct{}      // closed when the container has ended
	room  context.Context    // ends then as well: a log that is held back would hold back the result
	done  chan struct{}      // closed when all was told, or cannot be
}

// tellLog begins. The caller calls stop, and before, when the container has ended, finish.
func (s *steps) tellLog(w *work) *logTail {
	ctx, cancel := context.WithCancel(s.life)
	room, full := context.WithCancel(ctx)
	l := &logTail{steps: s, work: w, ctx: ctx, ended: make(chan struct{}), room: room, done: make(chan struct{})}
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
		l.run()
	})
	l.stop = func() {
		cancel()
		children.Wait()
	}
	return l
}

// finish waits until all of the log was told. It takes as long as the hub takes to say what it has: without the
// hub there is nobody to tell anything.
func (l *logTail) finish(ctx context.Context) error {
	close(l.ended)
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *logTail) run() {
	var from position
	select {
	case from = <-l.work.run.resume:
	case <-l.ctx.Done():
		return
	}
	if from.unknown {
		l.work.feed.Line("… the worker was restarted; lines may stand here twice …")
	}
	reading, enough := context.WithCancel(l.ctx)
	var limit sync.WaitGroup
	limit.Go(func() {
		defer enough()
		if pause(reading, l.ended, -1) == nil {
			_ = pause(reading, nil, logWithin) // whyever it is over, it is
		}
	})
	l.read(reading, from.after)
	enough()
	limit.Wait()
}

// read tells what comes after a position until the container has ended, however often that breaks off.
func (l *logTail) read(ctx context.Context, after runs.Position) {
	r := l.work.run
	for {
		err := l.steps.engine.FollowRun(ctx, r.container, runs.LogAsk{After: after, Secret: r.Secret}, func(to runs.Position, text string) error {
			l.work.feed.Room(l.room)
			l.work.feed.LineTo(text, to.String())
			after = to
			return nil
		})
		if err == nil {
			return
		}
		if pause(ctx, nil, engineAgain) != nil {
			break
		}
	}
	if l.ctx.Err() == nil {
		l.work.feed.Line("… the end of the log could not be read …")
	}
}

// retell has what the hub does not have of the log of a run that has ended read from its container, which is there until
// the result is acknowledged. It is for what is not in memory any more, and does not wait.
func (c *commands) retell(e journal.Entry, from position) {
	base := uint64(max(e.Starts, 1)) * numbersPerStart
	feed := c.box.Open(e.Key, base)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		feed.Drop()
		return
	}
	c.children.Go(func() {
		defer feed.Finish()
		told := c.steps.retell(c.life, e, feed, from)
		if !told {
			feed.Line(linesMissing)
		}
		last := feed.Last()
		if last == base {
			last = 0
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.retold[e.Key] = last
	})
}

// retell reports whether all that the container wrote after a position was told.
func (s *steps) retell(ctx context.Context, e journal.Entry, feed *outbox.Feed, from position) bool {
	ctx, cancel := context.WithTimeout(ctx, logWithin)
	defer cancel()
	err := s.engine.FollowRun(ctx, newRunWork(e).container, runs.LogAsk{After: from.after, Secret: e.Run.Secret}, func(to runs.Position, text string) error {
		feed.LineTo(text, to.String())
		return ctx.Err()
	})
	return err == nil
}
