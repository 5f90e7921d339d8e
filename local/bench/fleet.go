package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/hub/worker"
	"berth/local/stand/dryengine"
)

// fleet is a server with many stacks of one repository, all active on one worker.
type fleet struct {
	*server
	b          *bench
	worker     *insideWorker
	repository core.RepositoryID
	name       string                         // of the repository
	held       atomic.Pointer[chan struct{}]  // while set, the engine's work waits until it is closed
	begun      atomic.Pointer[chan time.Time] // while set, it is told when the engine begins a deployment
	stacks     []core.StackID
}

// startFleet starts a server and brings n stacks up on it.
func (b *bench) startFleet(ctx context.Context, name string, n int, env ...string) (f *fleet, err error) {
	f = &fleet{b: b, name: name}
	if err := f.commitFolders(n); err != nil {
		return nil, err
	}
	s, err := b.newSite(name)
	if err != nil {
		return nil, err
	}
	if f.server, _, err = b.startLocal(ctx, s, env...); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.stop())
		}
	}()
	if err := f.setUp(ctx); err != nil {
		return nil, err
	}
	if f.worker, err = b.startInsideWorker(ctx, f.server, &dryengine.Engine{Image: image, OnApply: f.apply}); err != nil {
		return nil, err
	}
	if err := f.workersOnline(ctx, 1); err != nil {
		return nil, err
	}
	if f.repository, err = f.addRepository(ctx, b, name); err != nil {
		return nil, err
	}
	b.say("bringing %d stacks up", n)
	if err := f.addStacks(ctx, n); err != nil {
		return nil, err
	}
	return f, f.awaitActive(ctx, n)
}

// apply is what the engine does for each deployment: nothing, unless it is held.
func (f *fleet) apply(ctx context.Context, _ worker.Project, _ func(string)) error {
	if begun := f.begun.Load(); begun != nil {
		*begun <- time.Now()
	}
	held := f.held.Load()
	if held == nil {
		return nil
	}
	select {
	case <-*held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func folder(i int) string { return fmt.Sprintf("stacks/s%04d", i) }

func (f *fleet) commitFolders(n int) error {
	if err := f.b.git.Create(f.name); err != nil {
		return err
	}
	files := map[string]string{"README.md": "0\n"}
	for i := range n {
		files[folder(i)+"/compose.yaml"] = fmt.Sprintf("services:\n  app:\n    image: %s\n    environment:\n      NUMBER: \"%d\"\n", image, i)
	}
	_, err := f.b.git.Commit(f.name, "main", files, "Many stacks")
	return err
}

// adders is how many requests add stacks at the same time.
const adders = 4

func (f *fleet) addStacks(ctx context.Context, n int) error {
	f.stacks = make([]core.StackID, n)
	errs := make([]error, adders)
	var all sync.WaitGroup
	for a := range adders {
		all.Go(func() {
			for i := a; i < n && errs[a] == nil; i += adders {
				var made api.CreateStackAnswer
				made, errs[a] = post[api.CreateStackAnswer](ctx, f.client, "/api/custom/stacks",
					api.CreateStackRequest{Name: fmt.Sprintf("s%04d", i), RepositoryID: f.repository, Path: folder(i)})
				f.stacks[i] = made.ID
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// awaitActive waits until n stacks are active; the first that cannot be ends the wait.
func (f *fleet) awaitActive(ctx context.Context, n int) error {
	return until(ctx, 15*time.Minute, time.Second, fmt.Sprintf("%d active stacks", n), func(ctx context.Context) (bool, error) {
		active := 0
		for after := ""; ; {
			list, err := get[endpoint.Items[api.StackAnswer]](ctx, f.client, "/api/custom/stacks?limit=500&after="+url.QueryEscape(after))
			if err != nil {
				return false, errors.Join(err, f.alive())
			}
			for _, s := range list.Items {
				if s.Status == stacks.StatusError {
					return false, fmt.Errorf("stack %s: %s", s.Name, s.Error)
				}
				if s.Status == stacks.StatusActive {
					active++
				}
			}
			if after = list.Next; after == "" {
				return active == n, nil
			}
		}
	})
}

// stop ends worker and server.
func (f *fleet) stop() error {
	var err error
	if f.worker != nil {
		err = f.worker.stop()
	}
	return errors.Join(err, f.server.stop())
}
