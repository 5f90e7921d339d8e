package engine

import (
	"context"
	"maps"

	"github.com/moby/moby/client"

	"berth/core"
	"berth/hub/worker"
)

// ofStack is a client that lists only what was made for one stack. Compose finds what it
// takes down by the project's name alone; through this client it does not see what a person
// made under the same name.
type ofStack struct {
	client.APIClient
	stack core.StackID
}

func (c ofStack) narrowed(filters client.Filters) client.Filters {
	own := make(client.Filters, len(filters)+1)
	for name, values := range filters {
		own[name] = maps.Clone(values)
	}
	return own.Add("label", worker.LabelStack+"="+string(c.stack))
}

func (c ofStack) ContainerList(ctx context.Context, o client.ContainerListOptions) (client.ContainerListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.ContainerList(ctx, o)
}

func (c ofStack) NetworkList(ctx context.Context, o client.NetworkListOptions) (client.NetworkListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.NetworkList(ctx, o)
}

func (c ofStack) VolumeList(ctx context.Context, o client.VolumeListOptions) (client.VolumeListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.VolumeList(ctx, o)
}
