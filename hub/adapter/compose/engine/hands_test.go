package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
)

// hand does to containers what a person does with the docker command.
type hand struct {
	t      *testing.T
	docker *client.Client
}

func (s *stack) byHand() hand { return hand{s.t, s.engine.docker} }

func (h hand) done(what string, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatalf("%s by hand: %v", what, err)
	}
}

func (h hand) update(id string, o client.ContainerUpdateOptions) {
	h.t.Helper()
	_, err := h.docker.ContainerUpdate(h.t.Context(), id, o)
	h.done("update", err)
}

func (h hand) memory(id string) {
	h.t.Helper()
	h.update(id, client.ContainerUpdateOptions{Resources: &container.Resources{Memory: 96 << 20, MemorySwap: 192 << 20}})
}

func (h hand) rename(id, name string) {
	h.t.Helper()
	_, err := h.docker.ContainerRename(h.t.Context(), id, client.ContainerRenameOptions{NewName: name})
	h.done("rename", err)
}

func (h hand) restart(id string) {
	h.t.Helper()
	_, err := h.docker.ContainerRestart(h.t.Context(), id, client.ContainerRestartOptions{})
	h.done("restart", err)
}

func (h hand) stop(id string) {
	h.t.Helper()
	_, err := h.docker.ContainerStop(h.t.Context(), id, client.ContainerStopOptions{})
	h.done("stop", err)
}

func (h hand) start(id string) {
	h.t.Helper()
	_, err := h.docker.ContainerStart(h.t.Context(), id, client.ContainerStartOptions{})
	h.done("start", err)
}

func (h hand) remove(id string) {
	h.t.Helper()
	_, err := h.docker.ContainerRemove(h.t.Context(), id, client.ContainerRemoveOptions{Force: true})
	h.done("rm", err)
}

func (h hand) disconnect(id, network string) {
	h.t.Helper()
	_, err := h.docker.NetworkDisconnect(h.t.Context(), network, client.NetworkDisconnectOptions{Container: id, Force: true})
	h.done("network disconnect", err)
}

func (h hand) connect(id, name string, aliases ...string) {
	h.t.Helper()
	_, err := h.docker.NetworkConnect(h.t.Context(), name, client.NetworkConnectOptions{Container: id, EndpointConfig: &network.EndpointSettings{Aliases: aliases}})
	h.done("network connect", err)
}

// create makes a container that sleeps and removes it when the test ends.
func (h hand) create(name string, labels map[string]string) string {
	h.t.Helper()
	made, err := h.docker.ContainerCreate(h.t.Context(), client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: testImage, Cmd: []string{"sleep", "3600"}, StopSignal: "SIGKILL", Labels: labels},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	h.done("create", err)
	h.t.Cleanup(func() {
		_, _ = h.docker.ContainerRemove(context.Background(), made.ID, client.ContainerRemoveOptions{Force: true})
	})
	return made.ID
}

// network makes a network that outlives the project, and returns its id.
func (s *stack) network(name string) string {
	s.t.Helper()
	h := s.byHand()
	made, err := h.docker.NetworkCreate(s.t.Context(), name, client.NetworkCreateOptions{})
	h.done("network create", err)
	s.t.Cleanup(func() { s.down(); h.dropNetwork(made.ID) })
	return made.ID
}

// volume makes a volume that outlives the project.
func (s *stack) volume(name string) {
	s.t.Helper()
	h := s.byHand()
	_, err := h.docker.VolumeCreate(s.t.Context(), client.VolumeCreateOptions{Name: name})
	h.done("volume create", err)
	s.t.Cleanup(func() { s.down(); h.dropVolume(name) })
}

func (h hand) dropNetwork(id string) {
	if _, err := h.docker.NetworkRemove(context.Background(), id, client.NetworkRemoveOptions{}); err != nil {
		h.t.Error(err)
	}
}

func (h hand) dropVolume(name string) {
	if _, err := h.docker.VolumeRemove(context.Background(), name, client.VolumeRemoveOptions{}); err != nil {
		h.t.Error(err)
	}
}

func (h hand) inspect(id string) container.InspectResponse {
	h.t.Helper()
	answer, err := h.docker.ContainerInspect(h.t.Context(), id, client.ContainerInspectOptions{})
	h.done("inspect", err)
	return answer.Container
}

func (h hand) exists(id string) bool {
	_, err := h.docker.ContainerInspect(h.t.Context(), id, client.ContainerInspectOptions{})
	return err == nil
}

// names returns what the project consists of: names and states of all its containers.
func (s *stack) names() string {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, strings.TrimPrefix(c.Container, s.Name+"-")+" "+c.State)
	}
	return strings.Join(names, ", ")
}
