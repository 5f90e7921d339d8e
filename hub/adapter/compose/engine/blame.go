package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/hub/worker"
)

// blamed is an error that is about one compose service. The text is the error's own: libraries
// look into it.
type blamed struct {
	service string
	error
}

func (b blamed) Unwrap() error { return b.error }

// about says which compose service an error is about; the innermost word counts.
func about(service string, err error) error {
	var known blamed
	if err == nil || service == "" || errors.As(err, &known) {
		return err
	}
	return blamed{service, err}
}

// failedService returns what err says about the compose service that failed, for programs. f is the
// fault that err has become; where it quotes no container it is what the engine said, or the fault itself.
func failedService(err error, f *fault.Error) (worker.FailedService, bool) {
	var known worker.FailedService
	if errors.As(f.Cause, &known) {
		return known, true
	}
	var b blamed
	if !errors.As(err, &b) {
		return known, false
	}
	words := f.Public
	if f.Cause != nil {
		words = said(f.Cause)
	}
	return worker.FailedService{Service: b.service, Lines: words}, true
}

// said returns the words of an engine's refusal.
func said(err error) string {
	return strings.TrimSuffix(strings.ReplaceAll(err.Error(), "Error response from daemon: ", ""), ".")
}

// blame is about for what the engine refused to do with a container that is there. A context that has
// ended is nobody's fault.
func (c upOfStack) blame(ctx context.Context, container string, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	there, lookErr := c.APIClient.ContainerInspect(ctx, container, client.ContainerInspectOptions{})
	if lookErr != nil || there.Container.Config == nil {
		return err
	}
	return about(there.Container.Config.Labels[api.ServiceLabel], err)
}

// ContainerStart implements client.APIClient.
func (c upOfStack) ContainerStart(ctx context.Context, id string, o client.ContainerStartOptions) (client.ContainerStartResult, error) {
	result, err := c.APIClient.ContainerStart(ctx, id, o)
	return result, c.blame(ctx, id, err)
}

// CopyToContainer implements client.APIClient. Configs and secrets that are no files come this way.
func (c upOfStack) CopyToContainer(ctx context.Context, id string, o client.CopyToContainerOptions) (client.CopyToContainerResult, error) {
	result, err := c.APIClient.CopyToContainer(ctx, id, o)
	return result, c.blame(ctx, id, err)
}

// NetworkConnect implements client.APIClient.
func (c upOfStack) NetworkConnect(ctx context.Context, network string, o client.NetworkConnectOptions) (client.NetworkConnectResult, error) {
	result, err := c.APIClient.NetworkConnect(ctx, network, o)
	return result, c.blame(ctx, o.Container, err)
}

// refusal names the compose service that the engine refused, where it is known.
func refusal(err error, text string) error {
	var b blamed
	if !errors.As(err, &b) {
		return applyFault("The Docker engine refused: %s. Correct the Compose file or the host, then try again.", text)
	}
	return about(b.service, applyFault("The Docker engine refused the compose service %s: %s. Correct the Compose file or the host, then try again.", b.service, text).Because(b.error))
}
