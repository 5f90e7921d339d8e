package engine

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/hub/worker/runs"
)

// FindRun looks at a container. See runs.Engine.
func (e *Engine) FindRun(ctx context.Context, name string) (c runs.Container, found bool, err error) {
	inspected, err := e.docker.ContainerInspect(ctx, name, client.ContainerInspectOptions{})
	if errdefs.IsNotFound(err) {
		return c, false, nil
	}
	if err != nil {
		return c, false, e.unread(ctx, err, asIs)
	}
	return runContainer(inspected.Container), true, nil
}

func runContainer(c container.InspectResponse) runs.Container {
	run := runs.Container{Name: strings.TrimPrefix(c.Name, "/"), State: runs.Created, CreatedAt: moment(c.Created)}
	if c.Config != nil {
		run.Labels = maps.Clone(c.Config.Labels)
		maps.DeleteFunc(run.Labels, func(name, _ string) bool { return !strings.HasPrefix(name, "dev.berth.") })
	}
	if c.State == nil {
		return run
	}
	run.StartedAt, run.FinishedAt, run.OutOfMemory = moment(c.State.StartedAt), moment(c.State.FinishedAt), c.State.OOMKilled
	switch {
	case c.State.Running:
		run.State, run.FinishedAt = runs.Running, time.Time{}
	case !run.StartedAt.IsZero():
		run.State, run.ExitCode = runs.Exited, c.State.ExitCode
		if run.FinishedAt.Before(run.StartedAt) { // engines note the start of what ends at once a little late
			run.FinishedAt = run.StartedAt
		}
	}
	return run
}

// moment reads a time of the engine's; the zero is what did not happen yet.
func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 {
		return time.Time{}
	}
	return t
}

// StartRun starts a container. See runs.Engine.
func (e *Engine) StartRun(ctx context.Context, name string) error {
	_, err := e.docker.ContainerStart(ctx, name, client.ContainerStartOptions{})
	return e.runFailed(ctx, err, asIs)
}

// AwaitRun blocks until a container does not run. See runs.Engine.
func (e *Engine) AwaitRun(ctx context.Context, name string) error {
	wait := e.docker.ContainerWait(ctx, name, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-wait.Result:
		return nil
	case err := <-wait.Error:
		if errdefs.IsNotFound(err) {
			return nil
		}
		return e.lost(ctx, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StopRun ends a container. See runs.Engine. One that a person has paused hears no signal before it goes on.
func (e *Engine) StopRun(ctx context.Context, name string) error {
	if e.stillPaused(ctx, name) {
		_, _ = e.docker.ContainerUnpause(ctx, name, client.ContainerUnpauseOptions{}) // what is wrong, stopping it says
	}
	_, err := e.docker.ContainerStop(ctx, name, client.ContainerStopOptions{Timeout: new(runStopTime)})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return e.unread(ctx, err, asIs)
}

// RemoveRun removes a container, with the volumes that have no name. See runs.Engine.
func (e *Engine) RemoveRun(ctx context.Context, name string) error {
	_, err := e.docker.ContainerRemove(ctx, name, client.ContainerRemoveOptions{RemoveVolumes: true})
	if errdefs.IsNotFound(err) {
		return nil
	}
	return e.unread(ctx, err, asIs)
}

// RunContainers lists the containers of a worker's runs. See runs.Engine.
func (e *Engine) RunContainers(ctx context.Context, by string) ([]runs.Container, error) {
	filters := make(client.Filters).Add("label", runs.LabelRun, runs.LabelWorker+"="+by)
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return nil, e.unread(ctx, err, asIs)
	}
	var all []runs.Container
	for _, summary := range list.Items {
		inspected, err := e.docker.ContainerInspect(ctx, summary.ID, client.ContainerInspectOptions{})
		if errdefs.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, e.unread(ctx, err, asIs)
		}
		all = append(all, runContainer(inspected.Container))
	}
	return all, nil
}
