package engine

import (
	"context"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// Info asks the engine who it is. It asks for the version and the list of containers,
// which takes a third of the time of the engine's own summary.
func (e *Engine) Info(ctx context.Context) (worker.EngineInfo, error) {
	version, err := e.docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	info := worker.EngineInfo{
		Version: version.Version, APIVersion: e.docker.ClientVersion(), // the negotiated one
		OS: version.Os, Arch: version.Arch,
		Containers: len(list.Items),
	}
	for _, c := range list.Items {
		if c.State == container.StateRunning {
			info.Running++
		}
	}
	return info, nil
}
