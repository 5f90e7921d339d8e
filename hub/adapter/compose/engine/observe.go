package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"berth/hub/worker"
)

// looksAtOnce bounds the requests with which containers are looked at together.
const looksAtOnce = 8

// observed is one container as it is now.
type observed struct {
	summary  container.Summary
	id, name string
	project  string
	service  string
	state    container.ContainerState
	health   container.HealthStatus // empty: none declared
	checks   string                 // what the last health check printed
	exitCode int
	restarts int
	started  time.Time
	policy   container.RestartPolicyMode
	tty      bool

	inspected container.InspectResponse
}

// observe looks at the containers of a project; those that go away meanwhile are left out.
func (e *Engine) observe(ctx context.Context, projectName string) ([]observed, error) {
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", api.ProjectLabel+"="+projectName)})
	if err != nil {
		return nil, err
	}
	return e.inspectAll(ctx, list.Items)
}

// observeOwn looks at the containers of a project that were made for its stack.
func (e *Engine) observeOwn(ctx context.Context, p worker.Project) ([]observed, error) {
	seen, err := e.observe(ctx, p.Name)
	if stack := p.Labels[worker.LabelStack]; stack != "" {
		seen = slices.DeleteFunc(seen, func(o observed) bool { return o.summary.Labels[worker.LabelStack] != stack })
	}
	return seen, err
}

// observeOurs looks at every container that Berth made, and at those that a person put into a project
// of one of them.
func (e *Engine) observeOurs(ctx context.Context) ([]observed, error) {
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		return nil, err
	}
	projects := map[string]bool{}
	for _, c := range list.Items {
		if c.Labels[worker.LabelStack] != "" && c.Labels[api.ProjectLabel] != "" {
			projects[c.Labels[api.ProjectLabel]] = true
		}
	}
	ours := slices.DeleteFunc(list.Items, func(c container.Summary) bool {
		return c.Labels[worker.LabelStack] == "" && !projects[c.Labels[api.ProjectLabel]]
	})
	return e.inspectAll(ctx, ours)
}

func (e *Engine) inspectAll(ctx context.Context, list []container.Summary) ([]observed, error) {
	all := make([]*observed, len(list))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(looksAtOnce)
	for i, summary := range list {
		if beside(summary) {
			continue
		}
		group.Go(func() error {
			inspected, err := e.docker.ContainerInspect(ctx, summary.ID, client.ContainerInspectOptions{})
			if errdefs.IsNotFound(err) {
				return nil
			}
			if err == nil {
				all[i] = observedFrom(summary, inspected.Container)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return stillThere(all), nil
}

// beside reports whether a container only runs for a while beside the services' own.
func beside(c container.Summary) bool {
	return c.Labels[api.OneoffLabel] == "True" || c.Labels[api.HookLabel] != ""
}

func stillThere[T any](all []*T) []T {
	var there []T
	for _, o := range all {
		if o != nil {
			there = append(there, *o)
		}
	}
	return there
}

func observedFrom(summary container.Summary, c container.InspectResponse) *observed {
	o := &observed{
		summary: summary, id: c.ID, name: strings.TrimPrefix(c.Name, "/"),
		project: summary.Labels[api.ProjectLabel], service: summary.Labels[api.ServiceLabel],
		restarts: c.RestartCount, inspected: c,
	}
	if c.HostConfig != nil {
		o.policy = c.HostConfig.RestartPolicy.Name
	}
	if c.Config != nil {
		o.tty = c.Config.Tty
	}
	if c.State == nil {
		return o
	}
	o.state, o.exitCode = c.State.Status, c.State.ExitCode
	o.started, _ = time.Parse(time.RFC3339Nano, c.State.StartedAt) // zero when never started
	if h := c.State.Health; h != nil && h.Status != container.NoHealthcheck {
		o.health = h.Status
		if n := len(h.Log); n > 0 {
			o.checks = h.Log[n-1].Output
		}
	}
	return o
}
