package engine

import (
	"context"

	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"berth/core/fault"
	"berth/hub/worker"
)

// Start starts the containers of a compose service, and lets those go on that a person has paused.
func (e *Engine) Start(ctx context.Context, projectName, service string) error {
	return e.each(ctx, projectName, service, func(ctx context.Context, id string) error {
		_, err := e.docker.ContainerStart(ctx, id, client.ContainerStartOptions{})
		return err
	})
}

// Stop stops them, giving each the time that the Compose file says (10 seconds by default).
func (e *Engine) Stop(ctx context.Context, projectName, service string) error {
	return e.each(ctx, projectName, service, func(ctx context.Context, id string) error {
		_, err := e.docker.ContainerStop(ctx, id, client.ContainerStopOptions{})
		return err
	})
}

// Restart stops and starts them.
func (e *Engine) Restart(ctx context.Context, projectName, service string) error {
	return e.each(ctx, projectName, service, func(ctx context.Context, id string) error {
		_, err := e.docker.ContainerRestart(ctx, id, client.ContainerRestartOptions{})
		return err
	})
}

// each acts on every container of a compose service at once.
func (e *Engine) each(ctx context.Context, projectName, service string, act func(ctx context.Context, id string) error) error {
	found, err := e.ofService(ctx, projectName, service)
	if err != nil {
		return e.failed(ctx, err, asIs)
	}
	if err := e.resume(ctx, found, func(string) {}); err != nil {
		return e.failed(ctx, err, asIs)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(looksAtOnce)
	for _, o := range found {
		group.Go(func() error { return act(groupCtx, o.id) })
	}
	return e.failed(ctx, group.Wait(), asIs)
}

// ofService returns the containers of a compose service; a fault when there is none.
func (e *Engine) ofService(ctx context.Context, projectName, service string) ([]observed, error) {
	seen, err := e.observe(ctx, projectName)
	if err != nil {
		return nil, err
	}
	var found []observed
	for _, o := range seen {
		if o.service == service && o.summary.Labels[worker.LabelStack] != "" { // a person's are not for Berth to stop
			found = append(found, o)
		}
	}
	if len(found) == 0 {
		return nil, fault.New(fault.NotFound, "engine.service_missing",
			"The compose service %s of %s has no container on this worker. Deploy the stack to make one.", service, projectName)
	}
	return found, nil
}
