package worker

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/wire"
	"berth/hub/worker/applied"
	"berth/hub/worker/journal"
)

// remains is what a worker that died leaves of one deployment, built up step by step.
type remains struct {
	s       *setup
	cmd     wire.Command
	project Project
	journal *journal.Journal
	applied *applied.Store
}

func (r *remains) key() journal.Key { return journal.Key{ID: r.cmd.ID, Attempt: r.cmd.Attempt} }

func (r *remains) attempt() applied.Attempt {
	d := r.cmd.Deploy
	return applied.Attempt{Stack: d.Stack, Project: d.Project, Revision: d.Revision, Commit: d.Commit, Deployment: d.Deployment}
}

// step is one thing that a worker writes or does.
type step struct {
	name string
	do   func(r *remains) error
}

// written is everything that a deployment writes and does, in order.
var written = []step{
	{"received", func(r *remains) error { return r.journal.Received(entryFor(r.cmd, digestOf(r.cmd), time.Now())) }},
	{"started", func(r *remains) error { _, err := r.journal.Started(r.key()); return err }},
	{"tried", func(r *remains) error { return r.applied.Try(r.attempt()) }},
	{"touched", func(r *remains) error { return r.applied.Touch(r.cmd.Deploy.Stack) }},
	{"half applied", func(r *remains) error { r.s.engine.remake(r.project, "web"); return nil }},
	{"applied", func(r *remains) error { r.s.engine.run(r.project); return nil }},
	{"recorded", func(r *remains) error { return r.applied.Applied(r.attempt(), time.Now()) }},
	{"verified", func(r *remains) error {
		list, _ := r.s.engine.Containers(r.s.t.Context(), r.project.Name)
		return r.applied.Ended(r.cmd.Deploy.Stack, portraitOf(r.s.worker.commands.steps.digestKey, r.cmd.Deploy.Stack, list), []int{2})
	}},
	{"ended", func(r *remains) error {
		return r.journal.Ended(wire.Result{ID: r.cmd.ID, Attempt: r.cmd.Attempt, Status: wire.ResultSucceeded, Phases: []wire.PhaseEvent{}})
	}},
	{"acknowledged", func(r *remains) error { return r.journal.Pruned(r.key()) }},
}

// A worker may die between any two things that it writes or does. The next one brings the
// deployment to its end, once, whatever it finds.
func TestACrashBetweenAnyTwoSteps(t *testing.T) {
	index := func(name string) int {
		return slices.IndexFunc(written, func(s step) bool { return s.name == name })
	}
	for n := range len(written) + 1 {
		name := "before anything"
		if n > 0 {
			name = "after " + written[n-1].name
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				s.engine.services = []string{"web", "db"}
				cmd := died(s, n)
				before := len(s.engine.called("apply"))
				h := s.start().link()
				hello := h.greet(goOn)
				if known := n > 0 && n <= index("acknowledged"); known != (len(hello.Journal) == 1) {
					t.Fatalf("the journal holds %+v", hello.Journal)
				}
				if n <= index("acknowledged") {
					finish(h, cmd, n > index("ended"))
				}
				synctest.Wait()
				applies := len(s.engine.called("apply")) - before
				if want := n <= index("recorded"); want != (applies == 1) || applies > 1 {
					t.Errorf("applied %d times", applies)
				}
				record, _ := s.worker.disk.applied.Get(cmd.Deploy.Stack)
				if record.Revision != 2 || record.Touched || record.Trying != 0 || len(record.Portrait) != 2 {
					t.Errorf("record %+v", record)
				}
				s.stop()
				if left := s.journal(); len(left) != 0 {
					t.Errorf("the journal holds %+v", left)
				}
			})
		})
	}
}

// died leaves what a worker leaves that has revision 1 in place and died after n steps of
// deploying revision 2.
func died(s *setup, n int) wire.Command {
	s.t.Helper()
	h := s.start().greeted()
	first := deployOf(h, newStack(), 1)
	h.send(first)
	h.result(first.ID)
	h.ack(first.ID, 1)
	synctest.Wait()
	s.stop()
	r := &remains{s: s, cmd: deployOf(h, first.Deploy.Stack, 2)}
	r.project = Project{Name: r.cmd.Deploy.Project, Labels: labelsOf(*r.cmd.Deploy)}
	data := filepath.Join(s.dir, "data")
	var err error
	if r.journal, _, err = journal.Open(filepath.Join(data, "journal")); err != nil {
		s.t.Fatal(err)
	}
	defer r.journal.Close()
	if r.applied, err = applied.Open(filepath.Join(data, "stacks")); err != nil {
		s.t.Fatal(err)
	}
	defer r.applied.Close()
	for _, step := range written[:n] {
		if err := step.do(r); err != nil {
			s.t.Fatalf("%s: %v", step.name, err)
		}
	}
	return r.cmd
}

// finish does what the hub does with a command that has not ended.
func finish(h *hubEnd, cmd wire.Command, ended bool) {
	h.t.Helper()
	if !ended {
		cmd.Epoch = h.epoch
		h.send(cmd)
		h.accepted(cmd.ID)
	}
	if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded {
		h.t.Errorf("result %+v", r)
	}
	h.ack(cmd.ID, cmd.Attempt)
}

func TestDrainOfManyCommands(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		const many = 32
		h := s.start().greeted()
		s.engine.on("apply", func(ctx context.Context, _ Project, _ func(string)) error {
			<-ctx.Done()
			time.Sleep(time.Second / 2) // of fake time: what the engine takes to let go
			return ctx.Err()
		})
		var sent []wire.Command
		for range many {
			cmd := deployOf(h, newStack(), 1)
			sent = append(sent, cmd)
			h.send(cmd)
			h.accepted(cmd.ID)
		}
		if took := s.stop(); took > 8*time.Second {
			t.Errorf("stopping took %v", took)
		}
		await(h, "Bye", any1[wire.Bye])
		left := s.journal()
		if len(left) != many || slices.ContainsFunc(left, func(e journal.Entry) bool { return e.Result != nil }) {
			t.Errorf("the journal holds %d entries", len(left))
		}
		if n := len(s.engine.called("down")) + len(s.engine.called("stop")); n != 0 {
			t.Error("containers were stopped")
		}
		s.engine.on("apply", nil)
		again := s.start().greeted()
		before := len(s.engine.called("apply"))
		for _, cmd := range sent {
			cmd.Epoch = again.epoch
			again.send(cmd)
		}
		for range many {
			if r := await(again, "Result", any1[wire.Result]); r.Status != wire.ResultSucceeded {
				t.Errorf("result %+v", r)
			}
		}
		if n := len(s.engine.called("apply")) - before; n != many {
			t.Errorf("%d commands were applied %d times after the restart", many, n)
		}
	})
}
