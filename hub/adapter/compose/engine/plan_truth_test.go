package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/hub/adapter/compose/render"
	"berth/hub/adapter/yaml"
	"berth/hub/worker"
)

// commitOf is a commit in memory: path to text.
type commitOf map[string]string

func (c commitOf) Hashes(_ context.Context, paths []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, p := range paths {
		for name, text := range c {
			if p == "" || name == p || strings.HasPrefix(name, p+"/") {
				hashes[p] += hashOf(name + text)
			}
		}
	}
	return hashes, nil
}

func (c commitOf) List(_ context.Context, dir string) ([]core.TreeEntry, error) {
	var all []core.TreeEntry
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if dir == "" || dir == "." || strings.HasPrefix(name, dir+"/") {
			all = append(all, core.TreeEntry{Path: name, Hash: hashOf(c[name]), Size: int64(len(c[name]))})
		}
	}
	return all, nil
}

func (c commitOf) Read(_ context.Context, name string, _ int64) ([]byte, error) {
	if text, there := c[name]; there {
		return []byte(text), nil
	}
	return nil, fault.New(fault.NotFound, "git.path_missing", "%s is not there", name)
}

func (c commitOf) Close() error { return nil }

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// truth is a stack that is planned and then deployed, so that both can be compared.
type truth struct {
	*stack
	image   string
	files   commitOf
	plain   map[string]string // variables that are not secret
	changed string            // compose service whose containers a hand has changed
	current int
	made    map[int]stacks.Project
}

// replace edits the Compose file.
func (s *truth) replace(old, now string) {
	s.t.Helper()
	text := s.files["compose.yaml"]
	if strings.Count(text, old) != 1 {
		s.t.Fatalf("%q stands %d times in the Compose file", old, strings.Count(text, old))
	}
	s.files["compose.yaml"] = strings.Replace(text, old, now, 1)
}

// render makes a project of the files as the hub does, and puts its content where a worker has it.
func (s *truth) render() (core.ComposeProject, stacks.Project) {
	s.t.Helper()
	files := maps.Clone(s.files)
	files["compose.yaml"] = strings.NewReplacer("IMAGE", s.image, "NAME", s.Name).Replace(files["compose.yaml"])
	src := core.ComposeSource{Project: s.Name, Tree: files}
	for name, value := range s.plain {
		src.Variables = append(src.Variables, core.ComposeVariable{Name: name, Value: value})
	}
	for name := range s.Secrets {
		src.Variables = append(src.Variables, core.ComposeVariable{Name: name, Secret: true})
	}
	blobs := map[string]string{}
	project, err := render.New().Read(s.t.Context(), src, func(digest string, content []byte) error {
		blobs[digest] = string(content)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range project.Content {
		for _, f := range c.Files {
			s.content(path.Join(c.Digest, f.Path), blobs[f.Digest])
		}
	}
	document, err := yaml.Rendered{}.ReadDocument(project.YAML)
	if err != nil {
		s.t.Fatal(err)
	}
	var prints []stacks.Fingerprint
	for name, value := range s.Secrets {
		prints = append(prints, stacks.Fingerprint{Name: name, Fingerprint: hashOf(value.Reveal())})
	}
	return project, stacks.ProjectOf(stacks.Revision{Services: project.Services, Content: project.Content, Variables: prints}, document)
}

// deploy does what a worker does with a revision.
func (s *truth) deploy(project core.ComposeProject, next stacks.Project) {
	s.t.Helper()
	s.current++
	s.made[s.current] = next
	s.YAML = project.YAML
	s.Labels = map[string]string{worker.LabelStack: "stk_test", worker.LabelRevision: strconv.Itoa(s.current)}
	if s.Replace = nil; s.changed != "" {
		s.Replace = []string{s.changed}
	}
	if err := s.engine.Apply(s.t.Context(), s.Project, s.note); err != nil {
		s.t.Fatalf("apply: %v", err)
	}
}

// seen returns the containers as a worker reports them.
func (s *truth) seen() []stacks.ContainerState {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []stacks.ContainerState
	for _, c := range list {
		if c.Service == s.changed {
			c.Changed = []string{"memory limit"}
		}
		all = append(all, c.ContainerState)
	}
	return all
}

// happened tells from the containers of a compose service before and after what became of it.
func happened(service string, before, after []stacks.ContainerState, wanted bool) stacks.PlanAction {
	old, now := map[string]stacks.ContainerState{}, map[string]stacks.ContainerState{}
	for _, c := range before {
		if c.Service == service {
			old[c.ContainerID] = c
		}
	}
	gained := 0
	for _, c := range after {
		if c.Service != service {
			continue
		}
		now[c.ContainerID] = c
		if _, was := old[c.ContainerID]; !was {
			gained++
		}
	}
	lost := len(old) - (len(now) - gained)
	switch {
	case len(old) == 0 && gained > 0:
		return stacks.PlanCreate
	case len(now) == 0 && lost > 0 && !wanted:
		return stacks.PlanRemove
	case gained > 0 && lost > 0:
		return stacks.PlanRecreate
	case gained > 0 || lost > 0:
		return stacks.PlanScale
	}
	for id, c := range now {
		if !c.StartedAt.Equal(old[id].StartedAt) && old[id].State == "running" {
			return stacks.PlanRestart
		}
		if !c.StartedAt.Equal(old[id].StartedAt) {
			return stacks.PlanStart
		}
	}
	return stacks.PlanLeave
}

const truthFile = `
services:
  web: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, environment: {LEVEL: "${LEVEL}", FIXED: one}, labels: {tier: front}}
  follower: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, depends_on: {web: {condition: service_started, restart: true}}}
  waiter: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, depends_on: [web]}
  side: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, network_mode: "service:web"}
  mounts: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, volumes: ["./app.conf:/app.conf:ro", "./site:/site:ro"]}
  configs: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, configs: [{source: inline, target: /inline}, {source: file, target: /file}]}
  vault: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, environment: {TOKEN: "${TOKEN}"}}
  key: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, secrets: [key]}
  data: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, volumes: ["data:/data"]}
  sharer: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, volumes_from: [data]}
  back: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, networks: [back]}
  many: {image: IMAGE, command: [sleep, "3600"], stop_signal: SIGKILL, scale: 2}
configs: {inline: {content: "one"}, file: {file: ./conf.txt}}
secrets: {key: {environment: KEY}}
volumes: {data: {labels: {keep: "1"}}}
networks: {back: {labels: {zone: a}}}
`

// Each step changes something, is planned, and is then deployed. The plan must say of every compose service
// what really became of its containers, and why.
func TestPlansComeTrue(t *testing.T) {
	image := ownImages(t)
	docker, s := open(t).docker, &truth{}
	t.Cleanup(func() { s.removeVolumes(docker) }) // a volume that was renamed is there twice; Down removes one
	*s = truth{image: image, stack: newStack(t, ""), plain: map[string]string{"LEVEL": "info"}, made: map[int]stacks.Project{}, files: commitOf{
		"compose.yaml": truthFile, "app.conf": "a", "site/index.html": "b", "conf.txt": "c"}}
	s.Name += strings.TrimSuffix(strings.TrimPrefix(image, "berth-test/plan"), ":1")
	s.secret("TOKEN", "hunter2-one")
	s.secret("KEY", "key-one")
	edit := func(pairs ...string) func() {
		return func() {
			for i := 0; i < len(pairs); i += 2 {
				s.replace(pairs[i], pairs[i+1])
			}
		}
	}
	stop := func(ctx context.Context, id string) error {
		_, err := docker.ContainerStop(ctx, id, client.ContainerStopOptions{})
		return err
	}
	remove := func(ctx context.Context, id string) error {
		_, err := docker.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true})
		return err
	}
	const more = "  more: {image: IMAGE, command: [sleep, '3600'], stop_signal: SIGKILL}\n"
	for _, step := range []struct {
		name string
		do   func()
		want string // what becomes of each compose service that is not left alone, with the names of the reasons
	}{
		{"nothing is there yet", func() {}, "back: create (service), configs: create (service), data: create (service), follower: create (service), key: create (service), many: create (service), " +
			"mounts: create (service), sharer: create (service), side: create (service), vault: create (service), waiter: create (service), web: create (service)"},
		{"nothing changes", func() {}, ""},
		{"environment, a mounted file, a config's text, a secret's value, more containers", func() {
			edit("FIXED: one", "FIXED: two", `content: "one"`, `content: "two"`, "scale: 2", "scale: 3")()
			s.files["app.conf"] = "aa"
			s.secret("TOKEN", "hunter2-two")
		}, "configs: recreate (configs.inline.content), follower: restart (web), many: scale (scale), mounts: recreate (app.conf), " +
			"side: recreate (web), vault: recreate (TOKEN), web: recreate (environment.FIXED)"},
		{"a plain variable, a file of a mounted folder, a config's file, a secret's file, fewer containers", func() {
			s.plain["LEVEL"] = "debug"
			s.files["site/index.html"], s.files["conf.txt"] = "bb", "cc"
			s.secret("KEY", "key-two")
			s.replace("scale: 3", "scale: 1")
		}, "configs: recreate (conf.txt), follower: restart (web), key: recreate (KEY), many: scale (scale), mounts: recreate (site/index.html), " +
			"side: recreate (web), web: recreate (environment.LEVEL)"},
		{"what does not count: a dependency, the pull policy, an extension, a file that nobody mounts, a volume's definition", func() {
			edit("depends_on: [web]", "depends_on: [web, data]", "back: {image: IMAGE,", "back: {image: IMAGE, pull_policy: missing,",
				"zone: a}}}", "zone: a}}}\nx-note: {a: 1}", `{keep: "1"}`, `{keep: "2"}`)()
			s.files["README.md"] = "hello"
		}, ""},
		{"a label, a file more, a restart policy, a health check, replicas by deploy, what volumes_from is of", func() {
			edit("tier: front", "tier: back", "secrets: [key]", "secrets: [key], restart: unless-stopped",
				"environment: {TOKEN", `healthcheck: {test: [CMD, "true"], interval: 1h}, environment: {TOKEN`,
				"scale: 1", "deploy: {replicas: 2}", `volumes: ["data:/data"]`, `volumes: ["data:/data"], user: "0"`)()
			s.files["site/more/new.html"] = "n"
		}, "data: recreate (user), follower: restart (web), key: recreate (restart), many: recreate (deploy.placement deploy.resources scale), mounts: recreate (site/more/new.html), " +
			"sharer: recreate (data), side: recreate (web), vault: recreate (healthcheck.interval healthcheck.test), web: recreate (labels.tier)"},
		{"a command, a mount less, another target, a variable more, replicas alone", edit(`vault: {image: IMAGE, command: [sleep, "3600"]`, `vault: {image: IMAGE, command: [sleep, "3601"]`,
			`, "./site:/site:ro"`, "", "target: /inline", "target: /elsewhere", "FIXED: two", "FIXED: two, MORE: x", "replicas: 2", "replicas: 3"),
			"configs: recreate (configs./elsewhere configs./inline), follower: restart (web), many: scale (scale), " +
				"mounts: recreate (volumes./site), side: recreate (web), vault: recreate (command), " +
				"web: recreate (environment.MORE)"},
		{"fewer and changed", edit("deploy: {replicas: 3}", "deploy: {replicas: 2}, hostname: x"), "many: recreate (hostname scale)"},
		{"none, a volume's name, a network's definition", edit("replicas: 2", "replicas: 0", "data: {labels", `data: {name: "NAME-other", labels`, "zone: a", "zone: b"),
			"back: recreate (back.labels.zone), data: recreate (data), many: scale (scale), sharer: recreate (data)"},
		{"some again, a network's name", edit("replicas: 0", "replicas: 1", "back: {labels", "back: {name: NAME-other, labels"), "back: recreate (back), many: create (scale)"},
		{"nothing after that", func() {}, ""},
		{"a network more, a limit, a compose service more", edit("networks: [back]", "networks: [back, default]", "{replicas: 1}", "{replicas: 1, resources: {limits: {memory: 64M}}}",
			"configs: {inline", more+"configs: {inline"), "back: recreate (networks.default), many: recreate (deploy.resources.limits.memory), more: create (service)"},
		{"the default network", edit("networks: {back", "networks: {default: {driver_opts: {com.docker.network.driver.mtu: '1400'}}, back"),
			"back: recreate (default.driver_opts.com.docker.network.driver.mtu), configs: recreate, data: recreate, follower: recreate, key: recreate, many: recreate, more: recreate, " +
				"mounts: recreate, sharer: recreate, side: recreate (web), vault: recreate, waiter: recreate, web: recreate"},
		{"hands: one is stopped, one removed, one that another shares; a compose service less", func() {
			s.toContainer("vault", stop)
			s.toContainer("key", remove)
			s.toContainer("data", remove)
			s.replace(more, "")
		}, "data: create (container), key: create (container), more: remove (service), sharer: recreate (data), vault: start (NAME-vault-1)"},
		{"one that ends, an image, an orphan that stays", func() {
			edit("secrets: [key], restart: unless-stopped", `secrets: [key], entrypoint: ["true"]`, "back: {image: IMAGE", "back: {image: IMAGE-other",
				"  waiter: {image: IMAGE, command: [sleep, \"3600\"], stop_signal: SIGKILL, depends_on: [web, data]}\n", "")()
			s.RemoveOrphans = false
		}, "back: recreate (image), key: recreate (entrypoint restart)"},
		{"one that has ended, an orphan that goes", func() {
			s.ended("key")
			s.RemoveOrphans = true
		}, "key: start (NAME-key-1), waiter: remove (service)"},
	} {
		if t.Failed() {
			break // what follows goes by what was there before
		}
		step.do()
		s.check(step.name, strings.ReplaceAll(step.want, "NAME", s.Name))
	}
	s.changed = "data"
	s.check("a hand has changed a container", "data: recreate (memory limit), key: start, sharer: recreate (data)")
}

// ownImages gives the test's image names of its own: another run of these tests beside this
// one moves the common name, and Compose recreates what runs under a name that has moved.
func ownImages(t *testing.T) string {
	t.Helper()
	docker, image := open(t).docker, "berth-test/plan-"+strings.ToLower(rand.Text())+":1"
	for _, name := range []string{image, image + "-other"} {
		if _, err := docker.ImageTag(t.Context(), client.ImageTagOptions{Source: testImage, Target: name}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := docker.ImageRemove(context.Background(), name, client.ImageRemoveOptions{Force: true}); err != nil {
				t.Errorf("remove the image %s: %v", name, err)
			}
		})
	}
	return image
}

func (s *truth) removeVolumes(docker *client.Client) {
	list, err := docker.VolumeList(context.Background(), client.VolumeListOptions{Filters: make(client.Filters).Add("label", "com.docker.compose.project="+s.Name)})
	if err != nil {
		s.t.Errorf("list the volumes that are left: %v", err)
	}
	for _, v := range list.Items {
		if _, err := docker.VolumeRemove(context.Background(), v.Name, client.VolumeRemoveOptions{}); err != nil {
			s.t.Errorf("remove the volume %s: %v", v.Name, err)
		}
	}
}

// check plans, deploys and compares.
func (s *truth) check(step, want string) {
	s.t.Helper()
	before := s.seen()
	project, next := s.render()
	services, _ := stacks.PlanServices(stacks.PlanInput{Next: next, Base: s.made[s.current], Made: s.made, Containers: before, RemoveOrphans: s.RemoveOrphans})
	s.deploy(project, next)
	after := s.seen()
	wants := map[string]string{}
	for entry := range strings.SplitSeq(want, ", ") {
		service, fate, _ := strings.Cut(entry, ": ")
		wants[service] = fate
	}
	for _, planned := range services {
		_, wanted := next.Compose["services"].(map[string]any)[planned.Service]
		if fact := happened(planned.Service, before, after, wanted); fact != planned.Action {
			s.t.Errorf("%s: the plan for %s is %s, what happened is %s (%+v)", step, planned.Service, planned.Action, fact, planned.Reasons)
		}
		if got, want := fateOf(planned), wants[planned.Service]; got != want && (want == "" || !strings.HasPrefix(got, want+" (")) {
			s.t.Errorf("%s: the plan for %s is %q, want %q", step, planned.Service, got, want)
		}
		for _, r := range planned.Reasons {
			if strings.Contains(r.Before+r.After, "hunter2") {
				s.t.Errorf("%s: the plan for %s tells a secret: %+v", step, planned.Service, r)
			}
		}
		delete(wants, planned.Service)
	}
	if delete(wants, ""); len(wants) > 0 {
		s.t.Errorf("%s: the plan says nothing of %v", step, wants)
	}
}

// fateOf writes a plan as the table of the test does; nothing for what is left alone.
func fateOf(p stacks.PlannedService) string {
	if p.Action == stacks.PlanLeave {
		return ""
	}
	var names []string
	for _, r := range p.Reasons {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return string(p.Action) + " (" + strings.Join(names, " ") + ")"
}

// toContainer does something to the containers of a compose service behind everybody's back.
func (s *truth) toContainer(service string, do func(context.Context, string) error) {
	s.t.Helper()
	for _, c := range s.seen() {
		if c.Service != service {
			continue
		}
		if err := do(s.t.Context(), c.ContainerID); err != nil {
			s.t.Fatal(err)
		}
	}
}

// ended waits until the containers of a compose service have ended.
func (s *truth) ended(service string) {
	s.t.Helper()
	s.toContainer(service, func(ctx context.Context, id string) error {
		wait := s.engine.docker.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case <-wait.Result:
			return nil
		case err := <-wait.Error:
			return err
		}
	})
}
