package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

// identityKept is how long an engine is taken for the one that it was. Its summary takes ten
// times as long as the rest of Info.
const identityKept = time.Minute

// known is the engine's identity as it was told last.
type known struct {
	mu    sync.Mutex
	id    string    // guarded by mu
	until time.Time // guarded by mu; zero: nothing is known
}

// Info asks the engine who it is.
func (e *Engine) Info(ctx context.Context) (worker.EngineInfo, error) {
	info, err := e.ask(ctx)
	if err != nil {
		e.known.forget() // another engine may be here when it answers again
		return worker.EngineInfo{}, e.unread(ctx, err, asIs)
	}
	return info, nil
}

func (e *Engine) ask(ctx context.Context) (worker.EngineInfo, error) {
	version, err := e.docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return worker.EngineInfo{}, err
	}
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return worker.EngineInfo{}, err
	}
	id, err := e.identity(ctx, version)
	if err != nil {
		return worker.EngineInfo{}, err
	}
	info := worker.EngineInfo{
		ID: id, Version: version.Version, APIVersion: e.docker.ClientVersion(), // the negotiated one
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

// identity returns what identityOf says, asking now and then.
func (e *Engine) identity(ctx context.Context, version client.ServerVersionResult) (string, error) {
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	if time.Now().Before(e.known.until) {
		return e.known.id, nil
	}
	about, err := e.docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return "", err
	}
	e.known.id, e.known.until = identityOf(version, about.Info), time.Now().Add(identityKept)
	return e.known.id, nil
}

func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.until = time.Time{}
}

// identityOf tells this engine from every other, or is empty when that cannot be told. A
// machine that was cloned brings its engine's id along, hence the host's name; two engines
// of one host differ in their folder. Podman makes up another id for every answer.
func identityOf(version client.ServerVersionResult, about system.Info) string {
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
