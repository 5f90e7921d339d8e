package engine

import (
	"context"
	"maps"

	"github.com/docker/compose/v5/pkg/api"
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

// ContainerList implements client.APIClient.
func (c ofStack) ContainerList(ctx context.Context, o client.ContainerListOptions) (client.ContainerListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.ContainerList(ctx, o)
}

// NetworkList implements client.APIClient.
func (c ofStack) NetworkList(ctx context.Context, o client.NetworkListOptions) (client.NetworkListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.NetworkList(ctx, o)
}

// VolumeList implements client.APIClient.
func (c ofStack) VolumeList(ctx context.Context, o client.VolumeListOptions) (client.VolumeListResult, error) {
	o.Filters = c.narrowed(o.Filters)
	return c.APIClient.VolumeList(ctx, o)
}

// hooksOfStack is a client that labels what Compose labels with the project's name alone:
// containers that run before a service starts, and are kept when they fail.
type hooksOfStack struct {
	client.APIClient
	stack string
}

// ContainerCreate implements client.APIClient.
func (c hooksOfStack) ContainerCreate(ctx context.Context, o client.ContainerCreateOptions) (client.ContainerCreateResult, error) {
	if c.stack != "" && o.Config != nil && o.Config.Labels[api.HookLabel] != "" {
		o.Config.Labels[worker.LabelStack] = c.stack
	}
	return c.APIClient.ContainerCreate(ctx, o)
}
