package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"berth/hub/worker"
)

// Usage tells what each container uses that runs and that Berth made for a stack. See worker.Engine.
func (e *Engine) Usage(ctx context.Context) ([]worker.ContainerUsage, error) {
	list, err := e.docker.ContainerList(ctx, client.ContainerListOptions{Filters: make(client.Filters).Add("label", worker.LabelStack)})
	if err != nil {
		return nil, e.failed(ctx, err, asIs)
	}
	found := make([]*worker.ContainerUsage, len(list.Items))
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(looksAtOnce)
	for i, summary := range list.Items {
		if beside(summary) || summary.Labels[api.ServiceLabel] == "" {
			continue
		}
		group.Go(func() (err error) {
			found[i], err = e.usageOf(inside, summary)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, e.failed(ctx, err, asIs)
	}
	return stillThere(found), nil
}

// usageOf tells what a container uses; nil when it is gone or has ended.
func (e *Engine) usageOf(ctx context.Context, summary container.Summary) (*worker.ContainerUsage, error) {
	answer, err := e.docker.ContainerStats(ctx, summary.ID, client.ContainerStatsOptions{})
	if errdefs.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var stats container.StatsResponse
	err = json.NewDecoder(answer.Body).Decode(&stats)
	if errors.Is(err, io.EOF) {
		return nil, nil // the engine says 200 first and looks then: a container that ended meanwhile has an empty answer
	}
	if err != nil {
		return nil, err
	}
	return &worker.ContainerUsage{Project: summary.Labels[api.ProjectLabel], Service: summary.Labels[api.ServiceLabel], ContainerID: summary.ID,
		CPU: time.Duration(stats.CPUStats.CPUUsage.TotalUsage), Memory: memoryOf(stats.MemoryStats)}, nil
}

// memoryOf is what a container holds without what the kernel only caches of files, as "docker stats" counts it: the
// kernel names that differently in version 1 and 2 of control groups.
func memoryOf(stats container.MemoryStats) int64 {
	for _, name := range []string{"total_inactive_file", "inactive_file"} {
		if cached, found := stats.Stats[name]; found && cached < stats.Usage {
			return int64(stats.Usage - cached)
		}
	}
	return int64(stats.Usage)
}
