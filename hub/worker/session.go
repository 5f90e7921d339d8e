package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"berth/core/wire"
	"berth/hub/link"
	"berth/hub/worker/journal"
)

// session is the life of one link. handle runs on the link's reader and never waits for
// the link; everything that is sent later is sent by the session's other goroutines.
type session struct {
	// Set once.
	worker    *Worker
	link      *link.Link
	pulse     link.Pulse
	answers   *answers
	downloads *downloads
	requests  *requests
	retell    *retell
	patience  time.Duration // how long the hub may be kept waiting for Hello
	welcomed  chan struct{} // closed when the hub has said Welcome

	// Owned by the reader until welcomed is closed, constant afterwards.
	epoch   uint64
	beat    time.Duration
	welcome bool
	changes bool // the hub takes snapshots that have only what changed
}

// farewell is the end of a link that the hub announced.
type farewell struct {
	reason string
	retry  time.Duration // when the hub wants to see the worker again; 0: it did not say
}

func (f farewell) Error() string { return "the hub closed the link: " + f.reason }

func newSession(w *Worker, conn link.Conn, enrolled wire.Enrolled) *session {
	s := &session{worker: w, patience: min(identifyWithin, silence(enrolled.HeartbeatSeconds)/3), welcomed: make(chan struct{}), retell: newRetell()}
	s.link = link.New(conn, link.Options{Side: link.Worker, ReadTimeout: silence(enrolled.HeartbeatSeconds), Unknown: func(err error) {
		w.log.Warn("the hub says what this release does not know; it is left out", "error", err)
	}})
	s.answers = newAnswers(w.commands)
	s.downloads = newDownloads(w.disk.content, s.link.Send, &w.tally.blobBytes)
	s.requests = newRequests(w.options.Engine, w.usage, w.disk.applied, w.commands.turns, s.link, w.log)
	return s
}

// silence is how long the hub may say nothing.
func silence(heartbeatSeconds int) time.Duration {
	return 3 * time.Duration(heartbeatSeconds) * time.Second
}

// run carries the link until it ends and returns why, which is never nil, after
// everything that it started has ended. served is how long the link was in service.
func (s *session) run(ctx context.Context) (served time.Duration, err error) {
	ctx, end := context.WithCancelCause(ctx)
	var children sync.WaitGroup
	children.Go(func() {
		end(s.link.Run(ctx, s.handle))
		s.downloads.end()
	})
	if err := s.greet(ctx); err == nil {
		began := time.Now()
		s.serve(ctx, end, &children)
		served = time.Since(began)
	} else {
		endUnlessOver(end, err)
	}
	children.Wait()
	s.requests.wait()
	return served, context.Cause(ctx)
}

// greet says Hello and waits for Welcome.
func (s *session) greet(ctx context.Context) error {
	o := s.worker.options
	hello := wire.Hello{Version: o.Version, Hostname: o.Hostname, Tags: o.Tags, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Engine: s.worker.engine(ctx, s.patience), Runs: true, Usage: true, LogTimes: true, Judges: true, Allow: o.Allow, Limits: o.Limits, Journal: s.worker.commands.entries()}
	if err := s.link.Send(ctx, hello); err != nil {
		return err
	}
	timer := time.NewTimer(welcomeWithin)
	defer timer.Stop()
	select {
	case <-s.welcomed:
		return nil
	case <-timer.C:
		return fmt.Errorf("the hub did not say Welcome within %v", welcomeWithin)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// serve keeps the link in service until it ends.
func (s *session) serve(ctx context.Context, end context.CancelCauseFunc, children *sync.WaitGroup) {
	s.worker.service.set(s)
	defer s.worker.service.set(nil)
	s.worker.tally.links.Add(1)
	s.answers.owe(s.worker.commands.results()...)
	duties := []func() error{
		func() error { return s.pulse.Run(ctx, s.link, s.beat) },
		func() error { return s.answers.run(ctx, s.link.Send) },
		func() error { return s.worker.box.Run(ctx, s.link, s.answers.ring) },
		func() error { return s.worker.watch(ctx, s) },
	}
	for _, duty := range duties {
		children.Go(func() {
			endUnlessOver(end, duty())
		})
	}
	<-ctx.Done()
}

// endUnlessOver ends the session, unless err merely says that the link is over: this is
// seen before the link itself can say why.
func endUnlessOver(end context.CancelCauseFunc, err error) {
	if !errors.Is(err, link.ErrOver) {
		end(err)
	}
}

// handle takes in one message of the hub. An error ends the link.
func (s *session) handle(ctx context.Context, msg any) error {
	switch m := msg.(type) {
	case wire.Welcome:
		return s.begin(m)
	case wire.Bye:
		return farewell{m.Reason, time.Duration(m.RetrySeconds) * time.Second}
	}
	if !s.welcome {
		return fmt.Errorf("the hub sent %T before Welcome", msg)
	}
	c := s.worker.commands
	switch m := msg.(type) {
	case wire.HeartbeatAck:
		s.pulse.Answered(m)
	case wire.Command:
		return s.command(m)
	case wire.Cancel:
		c.cancel(journal.Key{ID: m.ID, Attempt: m.Attempt})
	case wire.ResultAck:
		s.retell.add(c.acked(journal.Key{ID: m.ID, Attempt: m.Attempt}))
	case wire.BlobChunk:
		s.downloads.chunk(m)
	case wire.Request:
		s.requests.begin(ctx, m)
	case wire.RequestCancel:
		s.requests.cancel(m.ID)
	}
	return nil
}

// begin puts the link in service: every entry of the journal is settled first.
func (s *session) begin(m wire.Welcome) error {
	if s.welcome {
		return errors.New("the hub said Welcome twice")
	}
	s.welcome, s.epoch, s.changes = true, m.Epoch, m.Changes
	server := time.Duration(m.HeartbeatSeconds) * time.Second
	s.link.SetReadTimeout(3 * server)
	s.beat = min(server, s.worker.options.Heartbeat)
	for _, instruction := range m.Settle {
		s.worker.commands.settle(instruction)
	}
	s.worker.log.Info("in service", "epoch", m.Epoch, "hub", m.Version, "heartbeat", s.beat)
	close(s.welcomed)
	return nil
}

func (s *session) command(m wire.Command) error {
	if m.Epoch != s.epoch {
		return fmt.Errorf("the hub sent a command of epoch %d on the link of epoch %d", m.Epoch, s.epoch)
	}
	a := s.worker.commands.take(m)
	switch {
	case a.refusal != nil:
		s.answers.refuse(*a.refusal)
	case a.accepted:
		s.answers.accept(journal.Key{ID: m.ID, Attempt: m.Attempt})
	}
	if a.begin != nil {
		a.begin()
	}
	return nil
}

// leave says what is left to say, and Bye. It blocks no longer than ctx allows.
func (s *session) leave(ctx context.Context) {
	for !s.answers.idle() {
		if pause(ctx, nil, 10*time.Millisecond) != nil {
			break
		}
	}
	if s.link.Send(ctx, wire.Bye{Reason: "the worker is stopping; its containers keep running"}) == nil {
		s.link.Flush(ctx) // as far as there is time
	}
}
