package engine

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/worker/runs"
)

// What every container of a run gets.
const (
	runPids     = 4096
	runStopTime = 10 // seconds from SIGTERM to SIGKILL
	runLogSize  = "10m"
	runLogFiles = "6" // about as many short lines as a server keeps of a log: they are there while no hub is
)

// PrepareRun fetches the image and makes the container. See runs.Engine.
func (e *Engine) PrepareRun(ctx context.Context, r runs.Spec, report func(line string)) error {
	hide := secrets.NewRedactor(slices.Collect(maps.Values(r.Secrets))).Redact
	err := relay(report, nil, hide, func(p *progress) error { return e.prepareRun(ctx, r, p) })
	return e.runFailed(ctx, err, hide)
}

func (e *Engine) prepareRun(ctx context.Context, r runs.Spec, p *progress) error {
	w := wanted{service: r.Job, image: r.Image, file: "job.yaml"}
	needed, err := e.mustPull(ctx, w, false)
	if err == nil && needed {
		err = e.pullOne(ctx, w, p)
	}
	if err != nil {
		return err
	}
	if err := e.checkNetwork(ctx, r.Network); err != nil {
		return err
	}
	labels, err := e.runLabels(ctx, r)
	if err != nil {
		return err
	}
	host, err := e.runHost(ctx, r)
	if err != nil {
		return err
	}
	_, err = e.docker.ContainerCreate(ctx, client.ContainerCreateOptions{Name: r.Name, Config: runConfig(r, labels), HostConfig: host})
	if errdefs.IsConflict(err) {
		return fault.New(fault.Conflict, "run.container_taken", "A container named %s is there already.", r.Name).Because(err)
	}
	return err
}

// checkNetwork says which network is missing; the engine would say so when the container is started.
func (e *Engine) checkNetwork(ctx context.Context, name string) error {
	if name == "" || name == "none" {
		return nil
	}
	found, err := e.docker.NetworkInspect(ctx, name, client.NetworkInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return fault.New(fault.Invalid, "run.network_missing",
			"The network %s does not exist on the worker's host. Deploy the stack that makes it, or correct network in job.yaml.", name)
	case err == nil && found.Network.Driver == "host": // it has an id as well, by which the policy does not know it
		return fault.New(fault.Invalid, "run.refused", "The network %s is the host's own, which no job gets. Name another in job.yaml, or none.", name)
	}
	return err
}

// runLabels returns the container's labels. Those of the image that stand for something else than
// it here are emptied: by them it would be taken for a part of a stack.
func (e *Engine) runLabels(ctx context.Context, r runs.Spec) (map[string]string, error) {
	image, err := e.docker.ImageInspect(ctx, r.Image)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	if image.Config != nil {
		for name := range image.Config.Labels {
			if strings.HasPrefix(name, "dev.berth.") || strings.HasPrefix(name, "com.docker.compose.") {
				labels[name] = ""
			}
		}
	}
	maps.Copy(labels, r.Labels)
	return labels, nil
}

func runConfig(r runs.Spec, labels map[string]string) *container.Config {
	var environment []string
	for name, value := range r.Variables {
		environment = append(environment, name+"="+value)
	}
	for name, value := range r.Secrets {
		environment = append(environment, name+"="+value.Reveal())
	}
	slices.Sort(environment)
	return &container.Config{Image: r.Image, Cmd: r.Command, Env: environment, Labels: labels, StopTimeout: new(runStopTime),
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}}
}

// runHost is what the container gets of the host. Processors that the host lacks are no reason to refuse: as many as
// there are is a bound as well.
func (e *Engine) runHost(ctx context.Context, r runs.Spec) (*container.HostConfig, error) {
	engine, err := e.docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return nil, err
	}
	cpu := r.CPU
	if has := engine.Info.NCPU; has > 0 {
		cpu = min(cpu, float64(has))
	}
	return &container.HostConfig{
		LogConfig:     container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": runLogSize, "max-file": runLogFiles}},
		NetworkMode:   container.NetworkMode(r.Network),
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
		SecurityOpt:   []string{"no-new-privileges"},
		Init:          new(true),
		Mounts:        runMounts(r.Mounts),
		Resources:     container.Resources{NanoCPUs: int64(cpu * 1e9), Memory: r.Memory, MemorySwap: r.Memory, PidsLimit: new(int64(runPids))},
	}, nil
}

func runMounts(list []runs.Mount) []mount.Mount {
	mounts := make([]mount.Mount, len(list))
	for i, m := range list {
		mounts[i] = mount.Mount{Type: mount.TypeVolume, Source: m.Source, Target: m.Target, ReadOnly: m.ReadOnly}
		if filepath.IsAbs(m.Source) {
			mounts[i].Type = mount.TypeBind
		}
	}
	return mounts
}

// runFailed gives an error of a run's container its meaning.
func (e *Engine) runFailed(ctx context.Context, err error, hide func(string) string) error {
	return e.meaning(ctx, err, hide, func(text string) error {
		return fault.New(fault.Invalid, "run.start", "The Docker engine refused the container of the run: %s. Correct job.yaml or the host, then try again.", text)
	})
}
