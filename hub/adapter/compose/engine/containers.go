package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/moby/api/types/container"

	"berth/core/stacks"
	"berth/hub/worker"
)

// Containers lists containers by project, compose service and name. See worker.Engine.
func (e *Engine) Containers(ctx context.Context, projectName string) ([]worker.ProjectContainer, error) {
	seen, err := e.find(ctx, projectName)
	if err != nil {
		return nil, e.unread(ctx, err, asIs)
	}
	all := make([]worker.ProjectContainer, 0, len(seen))
	for _, o := range seen {
		all = append(all, o.asProjectContainer())
	}
	slices.SortFunc(all, func(a, b worker.ProjectContainer) int {
		return strings.Compare(a.Project+"\x00"+a.Service+"\x00"+a.Container, b.Project+"\x00"+b.Service+"\x00"+b.Container)
	})
	return all, nil
}

func (e *Engine) find(ctx context.Context, projectName string) ([]observed, error) {
	if projectName == "" {
		return e.observeOurs(ctx)
	}
	return e.observe(ctx, projectName)
}

func (o observed) asProjectContainer() worker.ProjectContainer {
	labels := maps.Clone(o.summary.Labels)
	maps.DeleteFunc(labels, func(name, _ string) bool { return !strings.HasPrefix(name, "dev.berth.") })
	revision, _ := strconv.Atoi(labels[worker.LabelRevision]) // 0 when it is not ours
	return worker.ProjectContainer{
		Project: o.project,
		Labels:  labels,
		Traits:  traits(o.inspected),
		ContainerState: stacks.ContainerState{
			Service: o.service, Container: o.name, ContainerID: o.id, Image: o.summary.Image,
			State: string(o.state), Health: string(o.health), ExitCode: o.exitCode, RestartCount: o.restarts,
			StartedAt: o.started, Ports: ports(o.summary.Ports), Revision: revision,
		},
	}
}

// ports writes published ports as "8080->80/tcp", each once: the engine lists IPv4 and
// IPv6 apart.
func ports(list []container.PortSummary) []string {
	var all []string
	for _, p := range list {
		if p.PublicPort != 0 {
			all = append(all, fmt.Sprintf("%d->%d/%s", p.PublicPort, p.PrivatePort, p.Type))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
