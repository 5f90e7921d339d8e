package engine

import (
	"context"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// resume lets containers go on that a person has paused: one that is paused cannot be started, hears no
// order to end, and Compose knows nothing of it. Those that run, or are gone by now, are left alone.
func (e *Engine) resume(ctx context.Context, all []observed, say func(string)) error {
	for i, o := range all {
		if o.state != container.StatePaused {
			continue
		}
		_, err := e.docker.ContainerUnpause(ctx, o.id, client.ContainerUnpauseOptions{})
		switch {
		case errdefs.IsNotFound(err):
			continue
		case err != nil && e.stillPaused(ctx, o.id):
			return err
		}
		all[i].state = container.StateRunning
		say(fmt.Sprintf("%s: container %s was paused by hand and goes on", o.service, o.name))
	}
	return nil
}

// stillPaused reports whether a container is paused after it could not be told to go on: somebody else may
// have done so just then.
func (e *Engine) stillPaused(ctx context.Context, id string) bool {
	inspected, err := e.docker.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	return err != nil || inspected.Container.State == nil || inspected.Container.State.Paused
}
