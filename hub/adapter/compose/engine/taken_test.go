package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"

	"berth/core/fault"
	"berth/hub/worker"
)

// theirs are the labels that Compose gives to a container of a person's own project.
func (s *stack) theirs(service string) map[string]string {
	return map[string]string{api.ProjectLabel: s.Name, api.ServiceLabel: service, api.ConfigHashLabel: "x", api.ContainerNumberLabel: "1",
		api.OneoffLabel: "False", api.WorkingDirLabel: "/home/ada/shop", api.ConfigFilesLabel: "/home/ada/shop/compose.yaml"}
}

// running makes a container that runs, and returns its id.
func (h hand) running(name string, labels map[string]string) string {
	h.t.Helper()
	id := h.create(name, labels)
	h.start(id)
	return id
}

// wantTaken makes sure that a deployment is refused, from its beginning and at its end, and
// that what runs goes on as it did.
func (s *stack) wantTaken(texts ...string) {
	s.t.Helper()
	before := s.started()
	for what, err := range map[string]error{
		"Pull":  s.engine.Pull(s.t.Context(), s.Project, false, s.note),
		"Apply": s.tryApply(),
	} {
		if fault.CodeOf(err) != "engine.project_taken" || fault.KindOf(err) != fault.Conflict {
			s.t.Errorf("%s: got %v", what, err)
			continue
		}
		for _, text := range append(texts, "Nothing was changed", "deploy again") {
			if !strings.Contains(fault.PublicOf(err), text) {
				s.t.Errorf("%s does not say %q: %v", what, text, err)
			}
		}
	}
	if after := s.started(); !maps.Equal(before, after) || s.lines != nil {
		s.t.Errorf("there are %v, want %v; log %q", after, before, s.lines)
	}
}

// started returns when each container of the project was started, by its id.
func (s *stack) started() map[string]string {
	s.t.Helper()
	list, err := s.engine.Containers(s.t.Context(), s.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	since := map[string]string{}
	for _, c := range list {
		since[c.ContainerID] = c.State + " " + c.StartedAt.String()
	}
	return since
}

func TestAProjectOfTheSameNameIsLeftAlone(t *testing.T) {
	t.Parallel()
	cases := map[string]func(s *stack, h hand) (text string){
		"another service, an orphan to Compose": func(s *stack, h hand) string {
			h.running(s.Name+"-db-1", s.theirs("db"))
			return s.Name + `-db-1 was made by hand in "/home/ada/shop"`
		},
		"the same service, which Compose would recreate": func(s *stack, h hand) string {
			h.running(s.Name+"-web-1", s.theirs("web"))
			return s.Name + "-web-1, which no stack made"
		},
		"stopped": func(s *stack, h hand) string {
			h.create(s.Name+"-db-1", s.theirs("db"))
			return "the container " + s.Name + "-db-1"
		},
		"without Compose's other labels": func(s *stack, h hand) string {
			h.running(s.Name+"-mine", map[string]string{api.ProjectLabel: s.Name})
			return s.Name + "-mine was made by hand)"
		},
		"orphans are to stay": func(s *stack, h hand) string {
			s.RemoveOrphans = false
			h.running(s.Name+"-db-1", s.theirs("db"))
			return "the container " + s.Name + "-db-1"
		},
		"everything is to be made anew": func(s *stack, h hand) string {
			s.Recreate = true
			h.running(s.Name+"-web-1", s.theirs("web"))
			h.running(s.Name+"-db-1", s.theirs("db"))
			return "the containers " + s.Name + "-db-1, " + s.Name + "-web-1"
		},
	}
	for what, prepare := range cases {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, "services: {web: "+sleeper+"}")
			s.wantTaken(prepare(s, s.byHand()), "Give this stack another name", "docker compose --project-name "+s.Name+" down")
		})
	}
}

// A stack was deleted and left running, and another one of its name is deployed: what ran is
// replaced, service by service, and what its volumes hold stays.
func TestWhatAnEarlierStackLeftIsTakenOver(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", old: "+sleeper+"}")
	s.apply()
	before := s.started()
	s.Labels = maps.Clone(s.Labels)
	s.Labels[worker.LabelStack] = "stk_later"
	t.Cleanup(func() {
		if err := s.engine.Down(context.Background(), s.Name, "stk_later", true, func(string) {}); err != nil {
			t.Error(err)
		}
	})
	s.apply()
	list, err := s.engine.Containers(t.Context(), s.Name)
	if err != nil || len(list) != 2 {
		t.Fatalf("there are %+v, %v", list, err)
	}
	for _, c := range list {
		if _, stayed := before[c.ContainerID]; stayed || c.Labels[worker.LabelStack] != "stk_later" || c.State != "running" {
			t.Errorf("%s is %+v", c.Container, c)
		}
	}
}

// A person puts containers into the project of a stack that runs already. They are listed, nothing
// touches them, and the deployment goes on.
func TestWhatAPersonPutBesideAStackIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	h := s.byHand()
	labels := s.theirs("web")
	labels[api.ContainerNumberLabel] = "2"
	kept := map[string]string{"db": h.running(s.Name+"-db-1", s.theirs("db")), "more of web": h.running(s.Name+"-mine", labels), "ended": h.create(s.Name+"-ended", s.theirs("web"))}
	s.set(`services: {web: {image: IMAGE, command: [sleep, "3601"], stop_signal: SIGKILL, network_mode: none}}`)
	s.Recreate = true
	s.apply()
	if !s.hasLine("the containers "+s.Name+"-db-1, "+s.Name+"-ended, "+s.Name+"-mine, which no stack made") || !s.hasLine("left alone") {
		t.Errorf("the log says %q", s.lines)
	}
	if err := s.verify(patience, 0); err != nil {
		t.Errorf("a container that is not the stack's was judged: %v", err)
	}
	if err := s.engine.Stop(t.Context(), s.Name, "web"); err != nil {
		t.Fatal(err)
	}
	if err := s.engine.Stop(t.Context(), s.Name, "db"); fault.CodeOf(err) != "engine.service_missing" {
		t.Errorf("stopping what a person runs: %v", err)
	}
	for what, id := range kept {
		if running := h.inspect(id).State.Running; running != (what != "ended") {
			t.Errorf("%s runs: %v", what, running)
		}
	}
	all, err := s.engine.Containers(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, c := range all {
		if c.Project == s.Name && c.Labels[worker.LabelStack] == "" {
			listed++
		}
	}
	if listed != len(kept) {
		t.Errorf("%d of %d are listed", listed, len(kept))
	}
}

// All of the stack's containers are gone, and what a person made alone is no reason not to bring them
// back; a project that Compose brought up is.
func TestAStackThatIsGoneComesBackBesideAPersonsContainer(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	h := s.byHand()
	id := h.running(s.Name+"-mine", map[string]string{api.ProjectLabel: s.Name})
	s.Placed = true
	s.apply()
	if !h.inspect(id).State.Running || s.names() != "mine running, web-1 running" || !s.hasLine("left alone") {
		t.Errorf("there are %s; log %q", s.names(), s.lines)
	}
	h.remove(s.containers()["web"].ContainerID)
	theirs := h.running(s.Name+"-db-1", s.theirs("db"))
	s.wantTaken("docker compose --project-name " + s.Name + " down")
	h.remove(theirs)
}

// Only one container can have a name, and a person's is not moved.
func TestAPersonsContainerWithAServicesNameIsInTheWay(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	s.apply()
	h := s.byHand()
	id := h.running(s.Name+"-late-1", s.theirs("late"))
	s.set("services: {web: " + sleeper + ", late: " + sleeper + "}")
	s.wantTaken("Compose service late needs the name of the container "+s.Name+"-late-1", "docker rename "+s.Name+"-late-1", `by hand in "/home/ada/shop"`)
	if bad := failing(s.tryApply()); bad.Service != "late" {
		t.Errorf("it is about %+v", bad)
	}
	h.remove(id)
	s.apply()
	if s.names() != "late-1 running, web-1 running" {
		t.Errorf("there are %s", s.names())
	}
}

// "docker compose run" uses a project for a while; what it leaves is the person's to remove.
func TestWhatAPersonRunsForAWhileIsNotInTheWay(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+"}")
	h := s.byHand()
	labels := s.theirs("web")
	labels[api.OneoffLabel] = "True"
	runs, ended := h.running(s.Name+"-web-run-1", labels), h.running(s.Name+"-web-run-2", labels)
	h.stop(ended)
	s.apply()
	if !h.inspect(runs).State.Running || !h.exists(ended) || s.names() != "web-1 running" {
		t.Errorf("the one that ended is there: %v; there are %s; log %q", h.exists(ended), s.names(), s.lines)
	}
}

// What comes after the look at the name is not seen by Compose.
func TestAContainerThatCameInBetweenIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services: {web: "+sleeper+", old: "+sleeper+"}")
	s.apply()
	s.set("services: {web: " + sleeper + "}")
	project, err := s.engine.prepare(t.Context(), s.Project)
	if err != nil {
		t.Fatal(err)
	}
	h := s.byHand()
	id := h.running(s.Name+"-db-1", s.theirs("db"))
	if err := s.engine.up(t.Context(), project, s.Project, nil, redactor(s.Project), s.note); err != nil {
		t.Fatal(err)
	}
	if !h.exists(id) || !h.inspect(id).State.Running || s.names() != "db-1 running, web-1 running" {
		t.Errorf("there are %s; log %q", s.names(), s.lines)
	}
}

func TestAFaultNamesAFewContainers(t *testing.T) {
	t.Parallel()
	var many []container.Summary
	for i := range namedOthers + 2 {
		many = append(many, container.Summary{ID: strings.Repeat("0", 64), Names: []string{fmt.Sprintf("/shop-web-%d", i)}})
	}
	many[6].Names = nil
	got := fault.PublicOf(takenFault("shop", many))
	if !strings.Contains(got, "the containers shop-web-0, shop-web-1, shop-web-2, shop-web-3, shop-web-4 and 2 more, which") {
		t.Error(got)
	}
	if nameOf(many[6]) != "000000000000" {
		t.Error(nameOf(many[6]))
	}
}
