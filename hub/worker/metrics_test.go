package worker

import (
	"context"
	"testing"

	"berth/core/wire"
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
