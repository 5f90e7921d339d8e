package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

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
	files["compose.yaml"] = strings.NewReplacer("IMAGE", testImage, "NAME", s.Name).Replace(files["compose.yaml"])
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
