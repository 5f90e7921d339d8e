package hub

import (
	"context"

	"berth/core/fleet"
	"berth/core/hubs"
	"berth/core/policy"
	"berth/core/wire"
)

// greet answers the worker's first message and takes the link into service.
func (s *session) greet(ctx context.Context, hello wire.Hello) error {
	epoch, err := s.h.opts.Fleet.Connected(ctx, s.worker.ID, hello)
	if err != nil {
		return err
	}
	s.epoch, s.runs, s.tells, s.times, s.judges = epoch, hello.Runs, hello.Usage, hello.LogTimes, hello.Judges
	if s.policy, err = policy.Of(hello.Allow); err != nil {
		s.judges = false // a newer worker knows allowances that this hub does not: it alone can judge
	}
	if hello.Limits != nil {
		s.limits = []policy.Layer{{From: policy.FromHost, Rules: *hello.Limits}}
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	settle, err := s.settle(ctx, hello.Journal)
	if err != nil {
		return err
	}
	welcome := wire.Welcome{Epoch: epoch, Changes: true, HeartbeatSeconds: int(s.h.opts.Heartbeat.Seconds()), Version: s.h.opts.Version, Settle: settle}
	if err := s.link.Send(ctx, welcome); err != nil {
		return err
	}
	s.ready.Store(true)
	s.h.opts.Snapshots.Connected(s.worker.ID, hello.Hostname)
	s.h.log.Info("worker connected", "worker", s.worker.ID, "hostname", hello.Hostname, "version", hello.Version, "epoch", epoch)
	fenced := s.fenced(ctx)
	for _, d := range []*delivery{&s.stacks, &s.jobs} {
		d.begin(func() { s.lasting(func() { s.deliver(fenced, d) }) })
	}
	s.content.begin(func() { s.lasting(func() { s.serveBlobs(fenced) }) })
	s.wake()
	s.h.Arrived(hello.Tags)
	if s.h.opts.Peers != nil {
		s.children.Go(func() { s.lasting(func() { s.h.opts.Peers.Arrived(ctx, hello.Tags) }) })
	}
	return nil
}

// fenced returns ctx such that what is written with it counts only while this is the worker's newest
// link, on whichever hub the others are.
func (s *session) fenced(ctx context.Context) context.Context {
	return hubs.Under(ctx, hubs.Fence{Worker: s.worker.ID, Epoch: s.epoch})
}

// join makes this the worker's current session; the newer of two connections wins, and
// one that was revoked meanwhile gets none. It returns when nothing of the older one is
// applied any more. What was being stored for it when the epoch was raised is refused by the store,
// and the worker says it again.
func (s *session) join(ctx context.Context) error {
	if err := s.replace(); err != nil || s.before == nil {
		return err
	}
	s.before.end(errSuperseded)
	select {
	case <-s.before.over:
		s.before = nil
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *session) replace() error {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	old := s.h.sessions[s.worker.ID]
	switch {
	case s.h.revoked[s.worker.ID]:
		return fleet.Revoked()
	case old != nil && old.epoch > s.epoch:
		return errSuperseded
	}
	s.before, s.h.sessions[s.worker.ID], s.joined = old, s, true
	return nil
}

// leave undoes what greet did, once the link is over.
func (s *session) leave(ctx context.Context) {
	s.end(nil)
	s.stacks.end()
	s.jobs.end()
	s.content.end()
	s.children.Wait()
	if s.before != nil {
		<-s.before.over
	}
	if s.joined { // before a link that waits for this one goes on
		s.h.runs.handOver(ctx, s.worker.ID)
		if s.h.opts.Peers != nil {
			s.h.recorder.handOver(ctx, s.worker.ID)
		}
	}
	close(s.over)
	s.failRequests()
	s.h.mu.Lock()
	delete(s.h.links, s)
	current, closing := s.epoch != 0 && s.h.sessions[s.worker.ID] == s, s.h.closing
	if current {
		delete(s.h.sessions, s.worker.ID)
	}
	s.h.mu.Unlock()
	if current {
		s.h.opts.Snapshots.Left(s.worker.ID)
	}
	if s.epoch == 0 || closing {
		return // a hub that stops marks all of them at once
	}
	s.h.report("a worker's leaving cannot be stored", s.h.opts.Fleet.WorkerLeft(ctx, s.worker.ID, s.epoch), "worker", s.worker.ID)
	s.h.clock.wake() // it may have been dealt runs that it was not told of
}
