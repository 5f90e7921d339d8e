package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"berth/core/stacks"
)

// truthStep changes something, is planned, and is then deployed. The plan must say of every
// compose service what really became of its containers, and why.
type truthStep struct {
	name string
	do   func()
	want string // what becomes of each compose service that is not left alone, with the names of the reasons
}

func newTruth(t *testing.T, file string) *truth {
	t.Helper()
	return &truth{stack: newStack(t, ""), plain: map[string]string{"LEVEL": "info"}, made: map[int]stacks.Project{}, files: commitOf{
		"compose.yaml": file, "app.conf": "a", "site/index.html": "b", "conf.txt": "c"}}
}

// edit returns what replaces, in the Compose file, each first text by the one after it.
func (s *truth) edit(pairs ...string) func() {
	return func() {
		for i := 0; i < len(pairs); i += 2 {
			s.replace(pairs[i], pairs[i+1])
		}
	}
}

func (s *truth) checkAll(steps []truthStep) {
	s.t.Helper()
	for _, step := range steps {
		if s.t.Failed() {
			return // what follows goes by what was there before
		}
		step.do()
		s.check(step.name, strings.ReplaceAll(step.want, "NAME", s.Name))
	}
}

func TestPlansOfNetworksAndReplicasComeTrue(t *testing.T) {
	t.Parallel()
	s := newTruth(t, `
services:
  web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, environment: {LEVEL: "${LEVEL}", FIXED: one}, labels: {tier: front}}
  follower: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, depends_on: {web: {condition: service_started, restart: true}}}
  waiter: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, depends_on: [web]}
  side: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: "service:web"}
  back: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, networks: [back]}
  many: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, scale: 2}
networks: {back: {labels: {zone: a}}}
`)
	other := testImage + "-other"
	if _, err := s.engine.docker.ImageTag(t.Context(), client.ImageTagOptions{Source: testImage, Target: other}); err != nil {
		t.Fatal(err)
	}
	docker := open(t).docker
	t.Cleanup(func() {
		if _, err := docker.ImageRemove(context.Background(), other, client.ImageRemoveOptions{Force: true}); err != nil {
			t.Errorf("remove the image %s: %v", other, err)
		}
	})
	s.checkAll([]truthStep{
		{"nothing is there yet", func() {}, "back: create (service), follower: create (service), many: create (service), side: create (service), waiter: create (service), web: create (service)"},
		{"nothing changes", func() {}, ""},
		{"environment, a label, a plain variable, more containers", func() {
			s.edit("FIXED: one", "FIXED: two", "tier: front", "tier: back", "scale: 2", "scale: 3")()
			s.plain["LEVEL"] = "debug"
		}, "follower: restart (web), many: scale (scale), side: recreate (web), web: recreate (environment.FIXED environment.LEVEL labels.tier)"},
		{"what does not count: a dependency, the pull policy, an extension", s.edit("depends_on: [web]", "depends_on: [web, many]",
			"back: {image: IMAGE,", "back: {image: IMAGE, pull_policy: missing,", "zone: a}}}", "zone: a}}}\nx-note: {a: 1}"), ""},
		{"fewer containers, by deploy", s.edit("scale: 3", "deploy: {replicas: 2}"), "many: recreate (deploy.placement deploy.resources scale)"},
		{"fewer and changed", s.edit("deploy: {replicas: 2}", "deploy: {replicas: 1}, hostname: x"), "many: recreate (hostname scale)"},
		{"none, a network's definition", s.edit("replicas: 1", "replicas: 0", "zone: a", "zone: b"), "back: recreate (back.labels.zone), many: scale (scale)"},
		{"some again, a network's name", s.edit("replicas: 0", "replicas: 1", "back: {labels", "back: {name: NAME-other, labels"), "back: recreate (back), many: create (scale)"},
		{"replicas alone", s.edit("replicas: 1", "replicas: 2"), "many: scale (scale)"},
		{"nothing after that", func() {}, ""},
		{"a network more, a limit", s.edit("networks: [back]", "networks: [back, default]", "{replicas: 2}", "{replicas: 2, resources: {limits: {memory: 64M}}}"),
			"back: recreate (networks.default), many: recreate (deploy.resources.limits.memory)"},
		{"the default network", s.edit("networks: {back", "networks: {default: {driver_opts: {com.docker.network.driver.mtu: '1400'}}, back"),
			"back: recreate (default.driver_opts.com.docker.network.driver.mtu), follower: restart (web), side: recreate (web), web: recreate"},
		{"an image, an orphan that stays", func() {
			s.edit("back: {image: IMAGE", "back: {image: IMAGE-other",
				"  waiter: {image: IMAGE, command: [sleep, \"3600\"], stop_signal: SIGKILL, network_mode: none, depends_on: [web, many]}\n", "")()
			s.RemoveOrphans = false
		}, "back: recreate (image)"},
		{"an orphan that goes", func() { s.RemoveOrphans = true }, "waiter: remove (service)"},
	})
}

func TestPlansOfFilesAndSecretsComeTrue(t *testing.T) {
	t.Parallel()
	s := newTruth(t, `
services:
  mounts: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, volumes: ["./app.conf:/app.conf:ro", "./site:/site:ro"]}
  configs: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, configs: [{source: inline, target: /inline}, {source: file, target: /file}]}
  vault: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, environment: {TOKEN: "${TOKEN}"}}
  key: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, secrets: [key]}
  data: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, volumes: ["data:/data"]}
  sharer: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: none, volumes_from: [data]}
configs: {inline: {content: "one"}, file: {file: ./conf.txt}}
secrets: {key: {environment: KEY}}
volumes: {data: {labels: {keep: "1"}}}
`)
	s.secret("TOKEN", "hunter2-one")
	s.secret("KEY", "key-one")
	stop := func(ctx context.Context, id string) error {
		_, err := s.engine.docker.ContainerStop(ctx, id, client.ContainerStopOptions{})
		return err
	}
	remove := func(ctx context.Context, id string) error {
		_, err := s.engine.docker.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true})
		return err
	}
	const more = "  more: {image: IMAGE, command: [sleep, '3600'], stop_signal: SIGKILL, network_mode: none}\n"
	s.checkAll([]truthStep{
		{"nothing is there yet", func() {}, "configs: create (service), data: create (service), key: create (service), mounts: create (service), sharer: create (service), vault: create (service)"},
		{"nothing changes", func() {}, ""},
		{"a mounted file, a config's text, a secret's value", func() {
			s.replace(`content: "one"`, `content: "two"`)
			s.files["app.conf"] = "aa"
			s.secret("TOKEN", "hunter2-two")
		}, "configs: recreate (configs.inline.content), mounts: recreate (app.conf), vault: recreate (TOKEN)"},
		{"a file of a mounted folder, a config's file, a secret's file", func() {
			s.files["site/index.html"], s.files["conf.txt"] = "bb", "cc"
			s.secret("KEY", "key-two")
		}, "configs: recreate (conf.txt), key: recreate (KEY), mounts: recreate (site/index.html)"},
		{"what does not count: a file that nobody mounts, a volume's definition", func() {
			s.replace(`{keep: "1"}`, `{keep: "2"}`)
			s.files["README.md"] = "hello"
		}, ""},
		{"a file more, a restart policy, a health check, what volumes_from is of", func() {
			s.edit("secrets: [key]", "secrets: [key], restart: unless-stopped", "environment: {TOKEN", `healthcheck: {test: [CMD, "true"], interval: 1h}, environment: {TOKEN`,
				`volumes: ["data:/data"]`, `volumes: ["data:/data"], user: "0"`)()
			s.files["site/more/new.html"] = "n"
		}, "data: recreate (user), key: recreate (restart), mounts: recreate (site/more/new.html), sharer: recreate (data), vault: recreate (healthcheck.interval healthcheck.test)"},
		{"a command, a mount less, another target, a variable more, a volume's name, a compose service more",
			s.edit(`vault: {image: IMAGE, command: [sleep, "3600"]`, `vault: {image: IMAGE, command: [sleep, "3601"]`, `"${TOKEN}"}`, `"${TOKEN}", MORE: x}`,
				`, "./site:/site:ro"`, "", "target: /inline", "target: /elsewhere", "data: {labels", `data: {name: "NAME-other", labels`, "configs: {inline", more+"configs: {inline"),
			"configs: recreate (configs./elsewhere configs./inline), data: recreate (data), more: create (service), mounts: recreate (volumes./site), sharer: recreate (data), " +
				"vault: recreate (command environment.MORE)"},
		{"nothing after that", func() {}, ""},
		{"hands: one is stopped, one removed, one that another shares; a compose service less", func() {
			s.toContainer("vault", stop)
			s.toContainer("key", remove)
			s.toContainer("data", remove)
			s.replace(more, "")
		}, "data: create (container), key: create (container), more: remove (service), sharer: recreate (data), vault: start (NAME-vault-1)"},
		{"one that ends", s.edit("secrets: [key], restart: unless-stopped", `secrets: [key], entrypoint: ["true"]`), "key: recreate (entrypoint restart)"},
		{"one that has ended", func() { s.ended("key") }, "key: start (NAME-key-1)"},
		{"a hand has changed a container", func() {
			s.ended("key")
			s.changed = "data"
		}, "data: recreate (memory limit), key: start (NAME-key-1), sharer: recreate (data)"},
	})
}
