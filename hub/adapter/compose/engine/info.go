package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// Info asks the engine who it is.
func (e *Engine) Info(ctx context.Context) (worker.EngineInfo, error) {
	version, err := e.docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	about, err := e.docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	info := worker.EngineInfo{
		ID: identity(version, about.Info), Version: version.Version, APIVersion: e.docker.ClientVersion(), // the negotiated one
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

// identity tells this engine from every other, or is empty when that cannot be told. A
// machine that was cloned brings its engine's id along, hence the host's name; two engines
// of one host differ in their folder. Podman makes up another id for every answer.
func identity(version client.ServerVersionResult, about system.Info) string {
	for _, component := range version.Components {
		if strings.Contains(strings.ToLower(component.Name), "podman") {
			return ""
		}
	}
	if about.ID == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", about.ID, about.Name, about.DockerRootDir))
	return hex.EncodeToString(sum[:])
}
