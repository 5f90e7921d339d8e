package engine

import (
	"maps"
	"strings"
	"testing"

	"github.com/docker/compose/v5/pkg/api"
	sdk "github.com/docker/compose/v5/pkg/compose"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

func TestReplaceMakesAnewWhatAHandChanged(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+attached+", db: "+attached+", job: "+attached+"}")
	s.apply()
	before := s.containers()
	h := s.byHand()
	h.memory(before["web"].ContainerID)
	h.rename(before["job"].ContainerID, s.Name+"-mine")
	s.Replace = []string{"web", "job", "none"}
	s.apply()
	after := s.containers()
	if got := s.replaced(before); got != "web,job" && got != "job,web" {
		t.Errorf("replaced %q", got)
	}
	if after["db"].ContainerID != before["db"].ContainerID || !after["db"].StartedAt.Equal(before["db"].StartedAt) {
		t.Errorf("db was touched: %+v", after["db"])
	}
	if got := changedTraits(before["web"].Traits, after["web"].Traits); got != "" {
		t.Errorf("still changed: %q", got)
	}
	if got := s.names(); got != "db-1 running, job-1 running, web-1 running" {
		t.Errorf("there are %s", got)
	}
}

// A person may start one more container, or put one in place of ours.
func TestWhatAPersonMadeWithTheStacksLabelsIsReplaced(t *testing.T) {
	t.Parallel()
	cases := map[string]func(s *stack, labels map[string]string) (name string){
		"beside ours": func(s *stack, _ map[string]string) string { return s.Name + "-extra" },
		"in its place, without Compose's labels": func(s *stack, labels map[string]string) string {
			s.byHand().remove(s.containers()["web"].ContainerID)
			delete(labels, api.ConfigHashLabel)
			return s.Name + "-web-1"
		},
		"in its place, with all labels": func(s *stack, _ map[string]string) string {
			s.byHand().remove(s.containers()["web"].ContainerID)
			return s.Name + "-web-1"
		},
	}
	for what, prepare := range cases {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: "+attached+", db: "+attached+"}")
			s.apply()
			db := s.containers()["db"]
			h := s.byHand()
			labels := maps.Clone(h.inspect(s.containers()["web"].ContainerID).Config.Labels)
			id := h.create(prepare(s, labels), labels)
			h.start(id)
			s.Replace = []string{"web"}
			s.apply()
			if h.exists(id) || s.names() != "db-1 running, web-1 running" {
				t.Errorf("it is there: %v; there are %s; log %q", h.exists(id), s.names(), s.lines)
			}
			if after := s.containers()["db"]; after.ContainerID != db.ContainerID || !after.StartedAt.Equal(db.StartedAt) {
				t.Error("db was touched")
			}
		})
	}
}

// died brings about the state in which Compose leaves a host when it dies while it recreates
// web-1. It returns the id of the container that was made.
func (s *stack) died(after string) string {
	s.t.Helper()
	h := s.byHand()
	old := s.containers()["web"].ContainerID
	s.set("services: {web: {image: IMAGE, command: [sleep, '3601'], stop_signal: SIGKILL}}")
	made := s.createInPlaceOf(old)
	switch after {
	case "create":
	case "stop":
		h.stop(old)
	case "remove":
		h.remove(old)
	}
	return made
}

// createInPlaceOf makes the container that is to replace old, as Compose does: under another
// name, with the labels and the hash of what is wanted.
func (s *stack) createInPlaceOf(old string) string {
	s.t.Helper()
	h := s.byHand()
	labels := maps.Clone(h.inspect(old).Config.Labels)
	labels[api.ConfigHashLabel] = s.wantedHash()
	labels[api.ContainerReplaceLabel] = "web-1"
	made, err := s.engine.docker.ContainerCreate(s.t.Context(), client.ContainerCreateOptions{
		Name:       old[:12] + "_" + s.Name + "-web-1",
		Config:     &container.Config{Image: testImage, Cmd: []string{"sleep", "3601"}, StopSignal: "SIGKILL", Labels: labels},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	h.done("create", err)
	h.disconnect(made.ID, "none")
	h.connect(made.ID, s.Name+"_default", "web", s.Name+"-web-1")
	return made.ID
}

// wantedHash is the hash that Compose gives to the service as it is now.
func (s *stack) wantedHash() string {
	s.t.Helper()
	project, err := s.engine.prepare(s.t.Context(), s.Project)
	if err != nil {
		s.t.Fatal(err)
	}
	hash, err := sdk.ServiceHash(project.Services["web"])
	if err != nil {
		s.t.Fatal(err)
	}
	return hash
}

func TestARecreationThatWasInterruptedIsFinished(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"create", "stop", "remove"} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: "+attached+"}")
			s.apply()
			s.died(after)
			if !strings.Contains(s.names(), "_"+s.Name+"-web-1 created") {
				t.Fatalf("there are %s", s.names())
			}
			s.apply()
			if got := s.names(); got != "web-1 running" {
				t.Errorf("there are %s; log %q", got, s.lines)
			}
			got := s.byHand().inspect(s.containers()["web"].ContainerID)
			if len(got.Config.Cmd) != 2 || got.Config.Cmd[1] != "3601" {
				t.Errorf("it runs %q", got.Config.Cmd)
			}
			before := s.containers()
			s.apply()
			if got := s.replaced(before); got != "" {
				t.Errorf("%s was recreated once more", got)
			}
		})
	}
}

// The same, after which another deployment wants the old settings again.
func TestARecreationThatWasInterruptedIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"create", "stop", "remove"} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: "+attached+"}")
			s.apply()
			old := s.containers()["web"].ContainerID
			made := s.died(after)
			s.set("services: {web: " + attached + "}")
			s.apply()
			if s.names() != "web-1 running" || s.byHand().exists(made) {
				t.Errorf("there are %s; log %q", s.names(), s.lines)
			}
			if kept := s.containers()["web"].ContainerID == old; kept != (after != "remove") {
				t.Errorf("the old container was kept: %v", kept)
			}
		})
	}
}

// An engine connects a container to its networks one by one, and may be asked no further.
func TestAContainerThatWasMadeInPartIsMadeAnew(t *testing.T) {
	t.Parallel()
	const yaml = `services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, networks: {one: {}, two: {}}}}
networks: {one: {}, two: {}}`
	cases := map[string]func(s *stack, h hand){
		"never started": func(s *stack, h hand) {
			labels := h.inspect(s.containers()["web"].ContainerID).Config.Labels
			h.remove(s.containers()["web"].ContainerID)
			id := h.create(s.Name+"-web-1", labels)
			h.disconnect(id, "none")
			h.connect(id, s.Name+"_one", "web")
		},
		"stopped": func(s *stack, h hand) {
			id := s.containers()["web"].ContainerID
			h.stop(id)
			h.disconnect(id, s.Name+"_two")
		},
		"connected without its name": func(s *stack, h hand) {
			id := s.containers()["web"].ContainerID
			h.disconnect(id, s.Name+"_two")
			h.connect(id, s.Name+"_two")
		},
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, yaml)
			s.apply()
			want := s.containers()["web"].Traits["networks"]
			damage(s, s.byHand())
			s.apply()
			if got := s.containers()["web"].Traits["networks"]; got != want || s.names() != "web-1 running" {
				t.Errorf("networks are %s, want %s; there are %s", got, want, s.names())
			}
		})
	}
}

func TestAChangedNetworkKeepsTheNamesOfItsServices(t *testing.T) {
	t.Parallel()
	const yaml = `services: {web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, networks: {one: {}}}, db: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, networks: {two: {}}}}
networks: {one: {internal: INTERNAL}, two: {}}`
	s := newStack(t, strings.ReplaceAll(yaml, "INTERNAL", "false"))
	s.apply()
	before := s.containers()
	s.set(strings.ReplaceAll(yaml, "INTERNAL", "true"))
	s.apply()
	after := s.containers()
	if got := changedTraits(before["web"].Traits, after["web"].Traits); got != "" || after["web"].State != "running" {
		t.Errorf("%q changed: %s", got, after["web"].Traits["networks"])
	}
	if got := s.replaced(before); got != "web" {
		t.Errorf("replaced %q", got)
	}
}

func TestDownLeavesWhatAPersonMadeUnderTheSameName(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: {image: IMAGE, command: [sleep, '3600'], stop_signal: SIGKILL, volumes: [{type: volume, source: v, target: /v}]}}\nvolumes: {v: {}}")
	s.apply()
	h := s.byHand()
	theirs := map[string]string{api.ProjectLabel: s.Name, api.ServiceLabel: "web", api.ConfigHashLabel: "x", api.OneoffLabel: "False", api.ContainerNumberLabel: "7"}
	id := h.create(s.Name+"-theirs", theirs)
	h.start(id)
	network, err := h.docker.NetworkCreate(t.Context(), s.Name+"_theirs", client.NetworkCreateOptions{Labels: map[string]string{api.ProjectLabel: s.Name, api.NetworkLabel: "theirs"}})
	h.done("network create", err)
	t.Cleanup(func() { h.dropNetwork(network.ID) })
	_, err = h.docker.VolumeCreate(t.Context(), client.VolumeCreateOptions{Name: s.Name + "_theirs", Labels: map[string]string{api.ProjectLabel: s.Name, api.VolumeLabel: "theirs"}})
	h.done("volume create", err)
	t.Cleanup(func() { h.dropVolume(s.Name + "_theirs") })
	if err := s.engine.Down(t.Context(), s.Name, "stk_other", true, s.note); err != nil || s.count("volume") != 2 || s.count("network") != 2 || len(s.containers()) != 1 {
		t.Errorf("another stack's end: %v; there are %s, %d volumes, %d networks", err, s.names(), s.count("volume"), s.count("network"))
	}
	if err := s.engine.Down(t.Context(), s.Name, "stk_test", true, s.note); err != nil || s.names() != "theirs running" || s.count("volume") != 1 || s.count("network") != 1 {
		t.Errorf("%v; there are %s, %d volumes, %d networks", err, s.names(), s.count("volume"), s.count("network"))
	}
}

// O12: one stack is one project, whatever its Compose file calls itself.
func TestTheProjectsNameIsTheStacks(t *testing.T) {
	t.Parallel()
	s := newStack(t, "name: other\nservices: {web: {image: IMAGE, command: [sleep, '3600'], stop_signal: SIGKILL, volumes: [{type: volume, source: v, target: /v}]}}\nvolumes: {v: {}}")
	s.apply()
	c := s.containers()["web"]
	inspected := s.byHand().inspect(c.ContainerID)
	if c.Project != s.Name || c.Container != s.Name+"-web-1" || inspected.Config.Labels[api.ProjectLabel] != s.Name || s.count("volume") != 1 || s.count("network") != 1 {
		t.Errorf("%+v, labels %v", c, inspected.Config.Labels)
	}
	if others, err := s.engine.Containers(t.Context(), "other"); err != nil || len(others) != 0 {
		t.Errorf("%v of the other name, %v", others, err)
	}
	if err := s.verify(patience, 0); err != nil {
		t.Error(err)
	}
	if err := s.engine.Restart(t.Context(), s.Name, "web"); err != nil {
		t.Error(err)
	}
	if err := s.engine.Down(t.Context(), s.Name, "stk_test", true, s.note); err != nil || s.names() != "" || s.count("volume")+s.count("network") != 0 {
		t.Errorf("%v; there are %s", err, s.names())
	}
}
