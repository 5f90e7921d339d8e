package main

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
)

// memoryEngine is a container engine that starts nothing: every project that is applied
// has one running container from then on.
type memoryEngine struct {
	mu         sync.Mutex
	containers map[string]worker.ProjectContainer // by project; guarded by mu
}

var _ worker.Engine = (*memoryEngine)(nil)

func newMemoryEngine() *memoryEngine {
	return &memoryEngine{containers: map[string]worker.ProjectContainer{}}
}

// Apply implements worker.Engine.
func (e *memoryEngine) Apply(_ context.Context, p worker.Project, _ func(string)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	revision, err := strconv.Atoi(p.Labels[worker.LabelRevision])
	e.containers[p.Name] = worker.ProjectContainer{Project: p.Name, Labels: maps.Clone(p.Labels), ContainerState: stacks.ContainerState{
		Service: "app", Container: p.Name + "-app-1", ContainerID: p.Name, Image: image, State: "running", StartedAt: time.Now(), Revision: revision}}
	return err
}

// Containers implements worker.Engine.
func (e *memoryEngine) Containers(_ context.Context, project string) ([]worker.ProjectContainer, error) {
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
func (e *memoryEngine) Down(_ context.Context, project string, _ core.StackID, _ bool, _ func(string)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.containers, project)
	return nil
}

// Info implements worker.Engine.
func (e *memoryEngine) Info(context.Context) (worker.EngineInfo, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return worker.EngineInfo{Version: "none", APIVersion: "none", Containers: len(e.containers), Running: len(e.containers)}, nil
}

// What follows implements worker.Engine and has nothing to do.

func (e *memoryEngine) Pull(context.Context, worker.Project, bool, func(string)) error { return nil }
func (e *memoryEngine) Verify(context.Context, worker.Project, time.Duration, time.Duration, func(string)) error {
	return nil
}
func (e *memoryEngine) Start(context.Context, string, string) error   { return nil }
func (e *memoryEngine) Stop(context.Context, string, string) error    { return nil }
func (e *memoryEngine) Restart(context.Context, string, string) error { return nil }
func (e *memoryEngine) Logs(context.Context, string, string, int, bool, io.Writer) error {
	return nil
}

// Watch implements worker.Engine: nobody but the worker changes anything here.
func (e *memoryEngine) Watch(ctx context.Context, _ func()) error {
	<-ctx.Done()
	return ctx.Err()
}
