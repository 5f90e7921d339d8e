package engine

import (
	"context"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"berth/hub/worker"
)

func benchStack(b *testing.B) (*Engine, worker.Project) {
	b.Helper()
	e, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	p := worker.Project{
		Name: "berthtest-bench", StateDir: dir + "/", ContentDir: dir + "/", DigestKey: []byte("k"), Labels: map[string]string{worker.LabelStack: "stk_bench"},
		YAML: []byte("name: berthtest-bench\nservices: {web: {image: " + testImage + ", command: [sleep, '3600'], stop_signal: SIGKILL, networks: {default: null}}}\nnetworks: {default: {name: berthtest-bench_default}}"),
	}
	b.Cleanup(func() {
		_ = e.Down(context.Background(), p.Name, "stk_bench", true, func(string) {})
		e.Close()
	})
	return e, p
}

func silent(string) {}

func BenchmarkApplyUnchanged(b *testing.B) {
	e, p := benchStack(b)
	if err := e.Apply(b.Context(), p, silent); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Apply(b.Context(), p, silent); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyRunning(b *testing.B) {
	e, p := benchStack(b)
	if err := e.Apply(b.Context(), p, silent); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Verify(b.Context(), p, time.Minute, 0, silent); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFirstApplyAndVerify(b *testing.B) {
	e, p := benchStack(b)
	for b.Loop() {
		if err := e.Apply(b.Context(), p, silent); err != nil {
			b.Fatal(err)
		}
		if err := e.Verify(b.Context(), p, time.Minute, 0, silent); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := e.Down(b.Context(), p.Name, "stk_bench", true, silent); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkBareEngine is what the engine alone takes for the same: a network, a
// container, its start.
func BenchmarkBareEngine(b *testing.B) {
	e, p := benchStack(b)
	ctx := b.Context()
	for b.Loop() {
		made, err := e.docker.NetworkCreate(ctx, p.Name+"_bare", client.NetworkCreateOptions{Driver: "bridge"})
		if err != nil {
			b.Fatal(err)
		}
		created, err := e.docker.ContainerCreate(ctx, client.ContainerCreateOptions{
			Name:             p.Name + "-bare-1",
			Config:           &container.Config{Image: testImage, Cmd: []string{"sleep", "3600"}, StopSignal: "SIGKILL"},
			HostConfig:       &container.HostConfig{NetworkMode: container.NetworkMode(p.Name + "_bare")},
			NetworkingConfig: &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{p.Name + "_bare": {}}},
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.docker.ContainerStart(ctx, created.ID, client.ContainerStartOptions{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_, _ = e.docker.ContainerRemove(ctx, created.ID, client.ContainerRemoveOptions{Force: true})
		_, _ = e.docker.NetworkRemove(ctx, made.ID, client.NetworkRemoveOptions{})
		b.StartTimer()
	}
}

func BenchmarkInfo(b *testing.B) {
	e, _ := benchStack(b)
	for b.Loop() {
		if _, err := e.Info(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContainers(b *testing.B) {
	e, p := benchStack(b)
	if err := e.Apply(b.Context(), p, silent); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := e.Containers(b.Context(), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	e, p := benchStack(b)
	for b.Loop() {
		if _, err := e.prepare(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
