package worker

import (
	"context"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/exposition"
)

// What is under way is seen while it is, and not afterwards.
func TestSnapshotOfWhatIsUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release := make(chan struct{})
		s.engine.on("apply", func(context.Context, Project, func(string)) error { <-release; return nil })
		stack := newStack()
		first, second := deployOf(h, stack, 1), deployOf(h, stack, 2)
		for _, cmd := range []wire.Command{first, second} { // one after the other, for one stack
			h.send(cmd)
			h.accepted(cmd.ID)
		}
		is := func(what string, running, waiting float64) {
			t.Helper()
			seen := samples(parse(t, await(h, "Snapshot", func(m wire.Snapshot) bool {
				return samples(parse(t, m.Text))["berth_worker_commands_running kind=deploy"] == running
			}).Text))
			if got := seen["berth_worker_commands_waiting"]; got != waiting {
				t.Errorf("%s %v commands wait, want %v", what, got, waiting)
			}
			if got := seen["berth_worker_commands_running kind=teardown"]; got != 0 {
				t.Errorf("%s %v teardowns run", what, got)
			}
		}
		is("while the first runs", 1, 1)
		close(release)
		h.result(first.ID)
		h.result(second.ID)
		is("afterwards", 0, 0)
	})
}

// TestStatesOfAStacksContainers: running has its series always, so that a rule can ask for none; seven for
// each stack would leave room for few stacks.
func TestStatesOfAStacksContainers(t *testing.T) {
	containers := func(states ...string) (all []stacks.ContainerState) {
		for _, state := range states {
			all = append(all, stacks.ContainerState{State: state})
		}
		return all
	}
	look := sight{projects: map[core.StackID]string{"stk_1": "shop", "stk_2": "web"}, stacks: map[core.StackID]wire.StackObserved{
		"stk_1": {Containers: containers("running", "running", "restarting")}, "stk_2": {Containers: containers("exited")}}}
	var text exposition.Text
	writeContainers(&text, look)
	found := samples(parse(t, text.String()))
	of := func(stack, project, state string) string {
		return "berth_worker_stack_containers stack=" + stack + " project=" + project + " state=" + state
	}
	for sample, want := range map[string]float64{of("stk_1", "shop", "running"): 2, of("stk_1", "shop", "restarting"): 1, of("stk_2", "web", "running"): 0, of("stk_2", "web", "exited"): 1,
		"berth_worker_containers state=running": 2, "berth_worker_containers state=paused": 0} {
		if got, is := found[sample]; !is || got != want {
			t.Errorf("%s is %v (%t), want %v", sample, got, is, want)
		}
	}
	if n := strings.Count(text.String(), "\nberth_worker_stack_containers{"); n != 4 {
		t.Errorf("there are %d series of stacks:\n%s", n, text.String())
	}
}
