package engine

import (
	"context"
	"maps"

	"github.com/containerd/errdefs"
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

func (c ofStack) narrowed(filters client.Filters) client.Filters { return narrowed(filters, c.stack) }

func narrowed(filters client.Filters, stack core.StackID) client.Filters {
	own := make(client.Filters, len(filters)+1)
	for name, values := range filters {
		own[name] = maps.Clone(values)
	}
	return own.Add("label", worker.LabelStack+"="+string(stack))
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

// upOfStack is the client for what brings a stack up. It lists the stack's containers only, so
// that Compose never touches others, not even those that came after checkName. And it labels
// what Compose labels with the project's name alone: containers that run before a service
// starts, and are kept when they fail.
type upOfStack struct {
	client.APIClient
	stack core.StackID // empty: whatever has the project's name
}

// ContainerList implements client.APIClient.
func (c upOfStack) ContainerList(ctx context.Context, o client.ContainerListOptions) (client.ContainerListResult, error) {
	if c.stack != "" {
		o.Filters = narrowed(o.Filters, c.stack)
	}
	return c.APIClient.ContainerList(ctx, o)
}

// ContainerCreate implements client.APIClient.
func (c upOfStack) ContainerCreate(ctx context.Context, o client.ContainerCreateOptions) (client.ContainerCreateResult, error) {
	if c.stack != "" && o.Config != nil && o.Config.Labels[api.HookLabel] != "" {
		o.Config.Labels[worker.LabelStack] = string(c.stack)
	}
	result, err := c.APIClient.ContainerCreate(ctx, o)
	if o.Config == nil || ctx.Err() != nil {
		return result, err
	}
	return result, about(o.Config.Labels[api.ServiceLabel], err)
}

// NetworkRemove implements client.APIClient. Compose means to leave a network of another name
// when others use it, and expects to be told of a conflict; engines say that it is forbidden.
func (c upOfStack) NetworkRemove(ctx context.Context, id string, o client.NetworkRemoveOptions) (client.NetworkRemoveResult, error) {
	result, err := c.APIClient.NetworkRemove(ctx, id, o)
	if errdefs.IsPermissionDenied(err) {
		err = errdefs.ErrConflict.WithMessage(err.Error())
	}
	return result, err
}

// NetworkDisconnect implements client.APIClient. Compose asks for it also when a deployment
// that was interrupted has done it already, which engines refuse.
func (c upOfStack) NetworkDisconnect(ctx context.Context, network string, o client.NetworkDisconnectOptions) (client.NetworkDisconnectResult, error) {
	result, err := c.APIClient.NetworkDisconnect(ctx, network, o)
	if err == nil {
		return result, nil
	}
	there, lookErr := c.APIClient.ContainerInspect(ctx, o.Container, client.ContainerInspectOptions{})
	if lookErr == nil && there.Container.NetworkSettings != nil && there.Container.NetworkSettings.Networks[network] == nil {
		return result, nil
	}
	return result, err
}
