package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/applied"
)

func TestWhatAHandHasChanged(t *testing.T) {
	key := []byte("key")
	made := ProjectContainer{Traits: map[string]string{"image": "demo:1", "command": "", "memory limit": ""}}
	made.ContainerID = "c1"
	portrait := applied.Record{Portrait: portraitOf(key, "", []ProjectContainer{made})}
	with := func(change func(*ProjectContainer)) ProjectContainer {
		c := made
		c.Traits = map[string]string{"image": "demo:1", "command": "", "memory limit": ""}
		change(&c)
		return c
	}
	touched := portrait
	touched.Touched = true
	for name, c := range map[string]struct {
		record applied.Record
		now    ProjectContainer
		want   []string
	}{
		"nothing":                            {portrait, made, nil},
		"two traits":                         {portrait, with(func(c *ProjectContainer) { c.Traits["image"], c.Traits["command"] = "demo:2", "sh" }), []string{"command", "image"}},
		"another container":                  {portrait, with(func(c *ProjectContainer) { c.ContainerID = "c2" }), []string{"container"}},
		"a trait that no older worker knew":  {portrait, with(func(c *ProjectContainer) { c.Traits["user"] = "root" }), nil},
		"a trait that nobody tells any more": {portrait, with(func(c *ProjectContainer) { delete(c.Traits, "image") }), nil},
		"before anything was verified":       {applied.Record{}, with(func(c *ProjectContainer) { c.Traits["image"] = "demo:2" }), nil},
		"after an unverified deployment, of a container that it left alone": {touched, with(func(c *ProjectContainer) { c.Traits["image"] = "demo:2" }), []string{"image"}},
		"after an unverified deployment, of one that it may have made":      {touched, with(func(c *ProjectContainer) { c.ContainerID = "c2" }), nil},
	} {
		if got := changedByHand(key, c.record, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	many := with(func(c *ProjectContainer) {
		for i := range 2 * wire.MaxChanged {
			c.Traits[strings.Repeat("x", wire.MaxTrait+i)] = "before"
		}
	})
	crowd := applied.Record{Portrait: portraitOf(key, "", []ProjectContainer{many})}
	for name := range many.Traits {
		many.Traits[name] = "after"
	}
	if got := changedByHand(key, crowd, many); len(got) != wire.MaxChanged || len(got[0]) > wire.MaxTrait {
		t.Errorf("%d names, the first %q", len(got), got[0])
	}
}

// deployed starts a worker with one stack that was deployed and told of.
func deployed(s *setup) (*hubEnd, wire.Command) {
	s.t.Helper()
	h := s.start().greeted()
	cmd := deployOf(h, newStack(), 1)
	h.send(cmd)
	h.result(cmd.ID)
	h.ack(cmd.ID, 1)
	await(h, "Observed", func(m wire.Observed) bool { return len(m.Stacks) == 1 && len(m.Stacks[0].Containers) == 1 })
	return h, cmd
}

// changes returns what the next report says that was changed of the first container.
func changes(h *hubEnd) []string {
	h.t.Helper()
	m := await(h, "Observed", func(m wire.Observed) bool { return len(m.Stacks) > 0 })
	return m.Stacks[0].Containers[0].Changed
}

func TestAChangeByHandIsToldAndRepaired(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		silentFor(h, time.Minute, func(m wire.Observed) bool { return len(m.Stacks[0].Containers[0].Changed) > 0 })
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.Traits["memory limit"] = "64m" })
		if got := changes(h); !slices.Equal(got, []string{"memory limit"}) {
			t.Errorf("changed %v", got)
		}
		h.end.Cut()
		h = s.greeted() // the hub may have forgotten
		if got := changes(h); !slices.Equal(got, []string{"memory limit"}) {
			t.Errorf("over the next link, changed %v", got)
		}
		s.stop() // and so may the worker
		h = s.start().greeted()
		if got := changes(h); !slices.Equal(got, []string{"memory limit"}) {
			t.Errorf("after a restart, changed %v", got)
		}
		repair := deployOf(h, cmd.Deploy.Stack, 1)
		h.send(repair)
		events, result := collect(h, repair)
		if c := result.Observed.Containers[0]; result.Status != wire.ResultSucceeded || len(c.Changed) != 0 {
			t.Errorf("result %+v", result)
		}
		if got := s.engine.lastProject().Replace; !slices.Equal(got, []string{"web"}) {
			t.Errorf("recreated %v", got)
		}
		if !slices.ContainsFunc(events, func(e wire.Event) bool { return strings.Contains(e.Log, "changed by hand (memory limit)") }) {
			t.Errorf("the log does not say why: %+v", events)
		}
		silentFor(h, time.Minute, func(m wire.Observed) bool { return len(m.Stacks[0].Containers[0].Changed) > 0 })
		last := deployOf(h, cmd.Deploy.Stack, 1)
		h.send(last)
		h.result(last.ID)
		if got := s.engine.lastProject().Replace; len(got) != 0 {
			t.Errorf("after the repair, recreated %v again", got)
		}
	})
}

func TestAContainerOfAnotherHandIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.ContainerID = "by hand" })
		if got := changes(h); !slices.Equal(got, []string{"container"}) {
			t.Errorf("changed %v", got)
		}
	})
}

// What a person puts into the project of a stack is named, and is nothing that a deployment replaces.
func TestAPersonsContainerBesideTheStacksIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		ours, err := s.engine.Containers(t.Context(), cmd.Deploy.Project)
		if err != nil || len(ours) != 1 {
			t.Fatalf("%+v, %v", ours, err)
		}
		theirs := ProjectContainer{Project: cmd.Deploy.Project, ContainerState: ours[0].ContainerState}
		theirs.ContainerID, theirs.Container = "by hand", "zz-mine"
		s.engine.set(cmd.Deploy.Project, append(ours, theirs, ProjectContainer{Project: "another"}))
		m := await(h, "Observed", func(m wire.Observed) bool { return len(m.Stacks) > 0 && len(m.Stacks[0].Containers) > 1 })
		seen := m.Stacks[0].Containers
		if len(m.Stacks) != 1 || len(seen) != 2 || len(seen[0].Changed) != 0 || seen[1].Container != "zz-mine" || !seen[1].Foreign() {
			t.Errorf("it tells of %+v", m.Stacks)
		}
		again := deployOf(h, cmd.Deploy.Stack, 1)
		h.send(again)
		if r := h.result(again.ID); r.Status != wire.ResultSucceeded || len(s.engine.lastProject().Replace) != 0 {
			t.Errorf("recreated %v: %+v", s.engine.lastProject().Replace, r)
		}
	})
}

// A portrait is keyed, and holds no value.
func TestAPortraitGivesNothingAway(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.on("verify", func(_ context.Context, p Project, _ func(string)) error {
			s.engine.edit(p.Name, func(c *ProjectContainer) { c.Traits["environment"] = "TOKEN=canary-77" })
			return nil
		})
		_, cmd := deployed(s)
		s.stop()
		found := false
		for name, content := range s.files() {
			found = found || strings.Contains(content, `"environment"`)
			if strings.Contains(content, "canary-77") || strings.Contains(content, digest("TOKEN=canary-77")[:32]) {
				t.Errorf("%s holds the value or its plain digest", name)
			}
		}
		if r, _ := s.worker.disk.applied.Get(cmd.Deploy.Stack); !found || r.Portrait["1"]["environment"] == "" {
			t.Errorf("there is no portrait: %+v", r)
		}
	})
}

func TestNothingIsClaimedOfWhatADeploymentTouched(t *testing.T) {
	for name, failing := range map[string]string{"while it runs": "", "when it has failed": "verify"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h, cmd := deployed(s)
				hook, began := hang()
				if failing != "" {
					hook = func(context.Context, Project, func(string)) error {
						began <- ""
						return fault.New(fault.Conflict, "engine.unhealthy", "No.")
					}
				}
				s.engine.on("verify", hook)
				next := deployOf(h, cmd.Deploy.Stack, 2)
				h.send(next)
				<-began
				seen := await(h, "Observed", func(m wire.Observed) bool { return m.Stacks[0].Containers[0].Revision == 2 })
				if c := seen.Stacks[0].Containers[0]; len(c.Changed) != 0 {
					t.Errorf("claimed %v", c.Changed)
				}
				silentFor(h, 10*time.Minute, func(m wire.Observed) bool { return len(m.Stacks[0].Containers[0].Changed) > 0 })
			})
		})
	}
}

func TestAPullThatFailsLeavesThePortrait(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		s.engine.on("pull", func(context.Context, Project, func(string)) error {
			return fault.New(fault.Invalid, "engine.image", "No.")
		})
		next := deployOf(h, cmd.Deploy.Stack, 2)
		h.send(next)
		h.result(next.ID)
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.Traits["image"] = "demo:2" })
		if got := changes(h); !slices.Equal(got, []string{"image"}) {
			t.Errorf("changed %v", got)
		}
	})
}

// A look that began before a command ended may have seen what was before. It must not come
// after the result.
func TestALookAcrossTheEndOfACommandIsNotTold(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		slow, caught := make(chan struct{}), make(chan struct{})
		s.engine.afterLook(func() { close(caught); <-slow })
		<-caught // the engine has listed what runs, and the worker does not have it yet
		next := deployOf(h, cmd.Deploy.Stack, 2)
		h.send(next)
		h.result(next.ID)
		close(slow)
		silentFor(h, 10*time.Minute, func(m wire.Observed) bool {
			c := m.Stacks[0].Containers[0]
			return c.Revision != 2 || len(c.Changed) != 0
		})
	})
}

func TestEventsOfTheEngineAreFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.slow = 150 * time.Millisecond // so that it is looked at once in 3 seconds
		h, cmd := deployed(s)
		time.Sleep(5 * time.Second) // of fake time
		synctest.Wait()
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.State = "exited" })
		from := time.Now()
		s.engine.rings <- Happening{}
		seen := await(h, "Observed", any1[wire.Observed])
		if took := time.Since(from); took > 1500*time.Millisecond || seen.Stacks[0].Containers[0].State != "exited" {
			t.Errorf("after %v: %+v", took, seen)
		}
	})
}

func TestAStormOfEventsIsAnsweredByFewLooks(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		deployed(s)
		before := len(s.engine.called("look"))
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			s.engine.rings <- Happening{}
			time.Sleep(10 * time.Millisecond) // of fake time
		}
		if n := len(s.engine.called("look")) - before; n < 30 || n > 61 {
			t.Errorf("%d looks in a minute, want at most one a second", n)
		}
	})
}

func TestEventsThatCannotBeFollowed(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h, cmd := deployed(s)
		for range 5 { // it is tried again
			s.engine.deaf <- errors.New("the socket is gone")
		}
		s.engine.edit(cmd.Deploy.Project, func(c *ProjectContainer) { c.State = "exited" })
		if seen := await(h, "Observed", any1[wire.Observed]); seen.Stacks[0].Containers[0].State != "exited" {
			t.Errorf("%+v", seen)
		}
		if !strings.Contains(s.log.String(), "events cannot be followed") {
			t.Errorf("log:\n%s", s.log)
		}
	})
}

// An engine that does not answer must not keep the hub waiting until that gives up.
func TestHelloDoesNotWaitForAnEngineThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.hangInfo = true
		from := time.Now()
		h := s.start().link()
		hello := h.greet(goOn)
		if took := time.Since(from); hello.Engine != "" || took > identifyWithin {
			t.Errorf("after %v the engine is %q", took, hello.Engine)
		}
	})
}

func TestHelloSaysWhichEngineItUses(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.engine.goAway(errors.New("no socket"))
		h := s.start().link()
		if hello := h.greet(goOn); hello.Engine != "" {
			t.Errorf("an engine that is away is %q", hello.Engine)
		}
		s.engine.goAway(nil)
		time.Sleep(time.Minute) // of fake time
		h.end.Cut()
		s.engine.goAway(errors.New("gone again"))
		if hello := s.link().greet(goOn); hello.Engine != "engine-1" {
			t.Errorf("the engine is %q", hello.Engine)
		}
	})
}

func TestNothingIsClaimedWhileACommandHasItsTurn(t *testing.T) {
	stack := newStack()
	c := ProjectContainer{Labels: map[string]string{LabelStack: string(stack)}}
	c.ContainerID = "of the last deployment"
	record := applied.Record{Stack: stack, Portrait: applied.Portrait{}} // of the deployment that is just ending
	turns := newTurns[core.StackID](maxParallel, maxQueued)
	ticket := turns.take(stack)
	for _, works := range []bool{true, false} {
		glance := turns.glance()
		all := &claims{records: map[core.StackID]applied.Record{stack: record}, worked: glance.end()}
		if got := all.of(c); works == (len(got) > 0) {
			t.Errorf("while a command works: %v; claimed %v", works, got)
		}
		if works {
			ticket.done()
		}
	}
	glance := turns.glance()
	turns.take(stack).done()
	if still, worked := glance.end()[stack]; !worked || still {
		t.Errorf("a command that came and went during a look: seen %v, at work %v", worked, still)
	}
	if len(turns.glances) != 0 {
		t.Error("a look that is over is remembered")
	}
}
