package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
)

const manyTraits = `
services:
  web:
    image: IMAGE
    command: [sleep, "3600"]
    stop_signal: SIGKILL
    restart: unless-stopped
    mem_limit: 64m
    pids_limit: 50
    environment: {B: "2", A: "1"}
    ports: [{target: 80, host_ip: 127.0.0.1}, {target: 81, host_ip: 127.0.0.1}]
    volumes: [{type: volume, source: v, target: /v}, {type: bind, source: /.berth/state/d, target: /d}]
    networks: {front: {aliases: [www]}, back: {}}
    cap_add: [SYS_TIME]
    cap_drop: [CHOWN, KILL]
volumes: {v: {}}
networks: {front: {}, back: {}}
`

// changedTraits names the traits that differ.
func changedTraits(before, after map[string]string) string {
	var names []string
	for name := range maps.Keys(before) {
		if before[name] != after[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func TestTraitsShowWhatAHandChanges(t *testing.T) {
	t.Parallel()
	s := newStack(t, manyTraits)
	s.apply()
	h := s.byHand()
	id := s.containers()["web"].ContainerID
	steps := []struct {
		what, changes string
		do            func()
	}{
		{"docker update --memory", "memory limit", func() { h.memory(id) }},
		{"docker update --restart", "restart policy", func() {
			h.update(id, client.ContainerUpdateOptions{RestartPolicy: &container.RestartPolicy{Name: "always"}})
		}},
		{"docker update --cpus", "CPU limit", func() {
			h.update(id, client.ContainerUpdateOptions{Resources: &container.Resources{NanoCPUs: 5e8}})
		}},
		{"docker update --pids-limit", "process limit", func() {
			limit := int64(70)
			h.update(id, client.ContainerUpdateOptions{Resources: &container.Resources{PidsLimit: &limit}})
		}},
		{"docker rename", "name", func() { h.rename(id, s.Name+"-other") }},
		{"docker network disconnect", "networks", func() { h.disconnect(id, s.Name+"_front") }},
		{"docker network connect", "networks", func() { h.connect(id, s.Name+"_front") }},
		{"docker restart", "", func() { h.restart(id) }},
		{"docker stop", "", func() { h.stop(id) }},
		{"docker network disconnect while it is stopped", "networks", func() { h.disconnect(id, s.Name+"_back") }},
		{"docker start", "", func() { h.start(id) }},
	}
	for _, step := range steps {
		before := s.containers()["web"].Traits
		step.do()
		if got := changedTraits(before, s.containers()["web"].Traits); got != step.changes {
			t.Errorf("%s changes %q, want %q\nbefore %v\nafter  %v", step.what, got, step.changes, before, s.containers()["web"].Traits)
		}
	}
}

func TestTraitsStayWhenContainersAreStoppedAndStarted(t *testing.T) {
	t.Parallel()
	s := newStack(t, manyTraits)
	s.apply()
	before := s.containers()["web"].Traits
	for what, act := range map[string]func() error{
		"stop and start": func() error {
			if err := s.engine.Stop(t.Context(), s.Name, "web"); err != nil {
				return err
			}
			if got := changedTraits(before, s.containers()["web"].Traits); got != "" {
				t.Errorf("stop changes %q", got)
			}
			return s.engine.Start(t.Context(), s.Name, "web")
		},
		"restart":       func() error { return s.engine.Restart(t.Context(), s.Name, "web") },
		"another apply": func() error { return s.tryApply() },
	} {
		if err := act(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := changedTraits(before, s.containers()["web"].Traits); got != "" {
			t.Errorf("%s changes %q", what, got)
		}
	}
}

func TestTraitsAreThoseOfTheComposeFile(t *testing.T) {
	t.Parallel()
	s := newStack(t, manyTraits)
	s.apply()
	got := s.containers()["web"].Traits
	want := map[string]string{
		"name": s.Name + "-web-1", "command": `["sleep","3600"]`, "restart policy": "unless-stopped 0", "process limit": "50",
		"privileged": "false", "environment": `["A=1","B=2"`, "networks": "www", "mounts": "/v", "capabilities": "CHOWN", "published ports": "81/tcp",
		"image": "sha256:", "labels": "dev.berth.stack", "memory limit": "67108864", "user": "", "working directory": "", "entrypoint": "", "CPU limit": "", "disk weight": "",
	}
	if len(got) != len(want) {
		t.Errorf("traits are %v", got)
	}
	for name, part := range want {
		if value, there := got[name]; !there || !strings.Contains(value, part) {
			t.Errorf("%s is %q, want something with %q", name, value, part)
		}
	}
	if strings.Contains(got["networks"], s.containers()["web"].ContainerID[:12]) {
		t.Errorf("networks hold the container's id: %s", got["networks"])
	}
}

func TestIdentityOfAnEngine(t *testing.T) {
	t.Parallel()
	about := system.Info{ID: "ABCD", Name: "host", DockerRootDir: "/var/lib/docker"}
	docker := client.ServerVersionResult{Components: []system.ComponentVersion{{Name: "Engine"}}}
	first := identityOf(docker, about)
	if len(first) != 64 || identityOf(docker, about) != first {
		t.Errorf("identity is %q", first)
	}
	for what, other := range map[string]system.Info{
		"another id":     {ID: "ABCE", Name: "host", DockerRootDir: "/var/lib/docker"},
		"another host":   {ID: "ABCD", Name: "host2", DockerRootDir: "/var/lib/docker"},
		"another folder": {ID: "ABCD", Name: "host", DockerRootDir: "/srv/docker"},
		"shifted words":  {ID: "ABCD", Name: "host /var", DockerRootDir: "/lib/docker"},
	} {
		if got := identityOf(docker, other); got == first || got == "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	podman := client.ServerVersionResult{Components: []system.ComponentVersion{{Name: "Podman Engine"}}}
	if got := identityOf(podman, about); got != "" {
		t.Errorf("podman: %q", got)
	}
	if got := identityOf(docker, system.Info{Name: "host"}); got != "" {
		t.Errorf("no id: %q", got)
	}
}

func TestEveryWorkerOfAnEngineGivesItTheSameIdentity(t *testing.T) {
	t.Parallel()
	one, err := open(t).Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := open(t).Info(t.Context())
	if err != nil || one.ID == "" || one.ID != two.ID {
		t.Errorf("%q and %q, %v", one.ID, two.ID, err)
	}
}
