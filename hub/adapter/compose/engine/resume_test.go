package engine

import (
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"berth/hub/worker"
)

func (h hand) pause(id string) {
	h.t.Helper()
	_, err := h.docker.ContainerPause(h.t.Context(), id, client.ContainerPauseOptions{})
	h.done("pause", err)
}

// paused brings a project up and pauses its containers.
func paused(t *testing.T) *stack {
	t.Helper()
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", other: "+sleeper+"}")
	s.apply()
	for service, c := range s.containers() {
		s.byHand().pause(c.ContainerID)
		if now := s.containers()[service].State; now != "paused" {
			t.Fatalf("%s is %s", service, now)
		}
	}
	return s
}

func TestADeploymentLetsGoOnWhatWasPaused(t *testing.T) {
	s := paused(t)
	before := s.containers()
	s.apply()
	if got := s.replaced(before); got != "" || !s.hasLine("was paused by hand and goes on") {
		t.Errorf("%s was replaced; the log is %q", got, s.lines)
	}
	for service, c := range s.containers() {
		if c.State != "running" {
			t.Errorf("%s is %s", service, c.State)
		}
	}
	if err := s.verify(patience, 0); err != nil {
		t.Error(err)
	}
}

func TestADeploymentReplacesWhatWasPaused(t *testing.T) {
	s := paused(t)
	before := s.containers()
	s.set("services: {web: {image: IMAGE, command: [sleep, '7200'], stop_signal: SIGKILL, network_mode: none}}")
	s.apply()
	after := s.containers()
	if len(after) != 1 || after["web"].State != "running" || after["web"].ContainerID == before["web"].ContainerID {
		t.Errorf("there are %+v", after)
	}
}

func TestAPersonStartsWhatWasPaused(t *testing.T) {
	s := paused(t)
	before := s.containers()["web"]
	for what, act := range map[string]func() error{
		"start":   func() error { return s.engine.Start(t.Context(), s.Name, "web") },
		"restart": func() error { return s.engine.Restart(t.Context(), s.Name, "other") },
	} {
		if err := act(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for service, c := range s.containers() {
		if c.State != "running" {
			t.Errorf("%s is %s", service, c.State)
		}
	}
	s.byHand().pause(before.ContainerID)
	if err := s.engine.Stop(t.Context(), s.Name, "web"); err != nil || s.containers()["web"].State != "exited" {
		t.Errorf("stop: %v; web is %s", err, s.containers()["web"].State)
	}
}

// What is taken down ends as it was made to: a program that is paused hears no signal.
func TestWhatWasPausedIsToldToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, `services: {web: {image: IMAGE, network_mode: none, stop_grace_period: 10m, command: [sh, -c, "trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done"]}}`)
	s.apply()
	s.until("web is ready", func() bool {
		var said strings.Builder
		s.byHand().done("logs", s.engine.Logs(t.Context(), s.Name, "web", worker.LogAsk{Tail: 10}, &said))
		return strings.Contains(said.String(), "ready")
	})
	s.byHand().pause(s.containers()["web"].ContainerID)
	s.down()
	if left := s.containers(); len(left) != 0 {
		t.Errorf("there are %+v", left)
	}
}
