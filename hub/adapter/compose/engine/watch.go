package engine

import (
	"context"

	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// Watch follows the engine's events. See worker.Engine.
func (e *Engine) Watch(ctx context.Context, changed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := e.docker.Events(ctx, client.EventsListOptions{Filters: make(client.Filters).Add("label", worker.LabelStack)})
	for {
		select {
		case <-stream.Messages:
			changed()
		case err := <-stream.Err:
			return e.unread(ctx, err, asIs)
		}
	}
}
