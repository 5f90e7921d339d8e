package engine

import (
	"context"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"golang.org/x/sync/errgroup"

	"berth/hub/worker"
)

// lookForNew is how often a follower looks for containers that it does not follow yet.
const lookForNew = time.Second

// follower writes what all containers of a compose service say until its context ends.
type follower struct {
	engine *Engine
	out    *shared
	ask    worker.LogAsk

	mu      sync.Mutex
	streams map[string]*stream // by container; guarded by mu
}

// stream is one container's output.
type stream struct {
	active bool
	ended  time.Time // of what was read last
}

// run returns when ctx ends or a stream fails, after all its streams have ended.
func (f *follower) run(ctx context.Context, projectName, service string, found []observed, tail int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for {
			for _, o := range found {
				if r, wanted := f.begin(o, tail); wanted {
					group.Go(func() error { return f.follow(ctx, o, r) })
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(lookForNew):
			}
			var err error
			tail = maxTail // of containers that are new: all of it
			found, err = f.engine.ofService(ctx, projectName, service)
			if err != nil && !isFault(err) { // none at the moment is a fault, and no reason to end
				return err
			}
		}
	})
	return group.Wait()
}

// begin decides whether a container is to be followed now, and from where.
func (f *follower) begin(o observed, tail int) (logRange, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.streams[o.id]
	switch {
	case known == nil:
		f.streams[o.id] = &stream{active: true}
		return logRange{tail: tail, follow: true, times: f.ask.Times, secret: f.ask.Secret}, true
	case known.active || o.state != container.StateRunning:
		return logRange{}, false
	}
	known.active = true
	return logRange{tail: maxTail, follow: true, times: f.ask.Times, since: known.ended, secret: f.ask.Secret}, true
}

func (f *follower) follow(ctx context.Context, o observed, r logRange) error {
	err := f.engine.copyHidden(ctx, o, r, f.out)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams[o.id].active = false
	f.streams[o.id].ended = time.Now()
	return err
}
