// Package dryengine stands in for a container engine: it starts nothing and remembers. Every
// project that is applied has one running container from then on.
//
// It is for tests and measurements in which the engine is not what matters: the real one is in
// berth/hub/adapter/compose/engine. Start with Engine.
package dryengine

import (
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/hub/worker"
	"berth/local/stand/dryruns"
)

// Service is the one compose service that every project is taken to have.
const Service = "app"

// Engine is a container engine that only remembers. Its zero is ready; the hooks are set before
// it is used.
type Engine struct {
	dryruns.Engine
	Image string // that its containers show
	// OnApply, when set, runs in the place of what would take time; an error is Apply's.
	OnApply func(ctx context.Context, p worker.Project, report func(line string)) error

	mu         sync.Mutex
	containers map[string]worker.ProjectContainer // by project; guarded by mu
	applied    map[core.DeploymentID]int          // guarded by mu; how often each was put in place
}

var _ worker.Engine = (*Engine)(nil)

// Applied returns how often a deployment was put in place.
func (e *Engine) Applied(id core.DeploymentID) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.applied[id]
}

// Apply implements worker.Engine.
func (e *Engine) Apply(ctx context.Context, p worker.Project, report func(line string)) error {
	if e.OnApply != nil {
		if err := e.OnApply(ctx, p, report); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.containers == nil {
		e.containers, e.applied = map[string]worker.ProjectContainer{}, map[core.DeploymentID]int{}
	}
	e.applied[core.DeploymentID(p.Labels[worker.LabelDeployment])]++
	revision, err := strconv.Atoi(p.Labels[worker.LabelRevision])
	e.containers[p.Name] = worker.ProjectContainer{Project: p.Name, Labels: maps.Clone(p.Labels), ContainerState: stacks.ContainerState{
		Service: Service, Container: p.Name + "-" + Service + "-1", ContainerID: p.Name, Image: e.Image, State: "running", StartedAt: time.Now(), Revision: revision}}
	return err
}

// Containers implements worker.Engine.
func (e *Engine) Containers(_ context.Context, project string) ([]worker.ProjectContainer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if project == "" {
		return slices.SortedFunc(maps.Values(e.containers), func(a, b worker.ProjectContainer) int { return strings.Compare(a.Project, b.Project) }), nil
	}
	if c, found := e.containers[project]; found {
		return []worker.ProjectContainer{c}, nil
	}
	return nil, nil
}

// Down implements worker.Engine.
func (e *Engine) Down(_ context.Context, project string, _ core.StackID, _ bool, _ func(string)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.containers, project)
	return nil
}

// Info implements worker.Engine.
func (e *Engine) Info(context.Context) (worker.EngineInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return worker.EngineInfo{Version: "none", APIVersion: "none", Containers: len(e.containers), Running: len(e.containers)}, nil
}

// Usage implements worker.Engine: what does not run uses nothing.
func (e *Engine) Usage(context.Context) ([]worker.ContainerUsage, error) { return nil, nil }

// Watch implements worker.Engine: nobody but the worker changes anything here.
func (e *Engine) Watch(ctx context.Context, _ func(worker.Happening)) error {
	<-ctx.Done()
	return ctx.Err()
}

// What follows implements worker.Engine and has nothing to do.

// Pull implements worker.Engine.
func (e *Engine) Pull(context.Context, worker.Project, bool, func(string)) error { return nil }

// Verify implements worker.Engine.
func (e *Engine) Verify(context.Context, worker.Project, time.Duration, time.Duration, func(string)) error {
	return nil
}

// Start implements worker.Engine.
func (e *Engine) Start(context.Context, string, string) error { return nil }

// Stop implements worker.Engine.
func (e *Engine) Stop(context.Context, string, string) error { return nil }

// Restart implements worker.Engine.
func (e *Engine) Restart(context.Context, string, string) error { return nil }

// Logs implements worker.Engine.
func (e *Engine) Logs(context.Context, string, string, worker.LogAsk, io.Writer) error { return nil }
