package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// underWay brings a run to its third line and stops the worker.
func underWay(t *testing.T, s *setup, change ...func(*wire.Run)) (p *program, cmd wire.Command, events []wire.Event) {
	t.Helper()
	p = newProgram(s)
	h := s.start().greeted()
	cmd = runOf(h, change...)
	h.send(cmd)
	events = told(h, cmd, "Started")
	for _, line := range numbered(1, 3) {
		p.say <- line
		events = append(events, told(h, cmd, line)...)
	}
	if took := s.stop(); took > 3*time.Second {
		t.Errorf("stopping took %v, though no container is stopped", took)
	}
	return p, cmd, events
}

// TestARunGoesOnAcrossARestart: its container is left alone, and its log has no gap and no line twice, whatever
// the hub had stored of it.
func TestARunGoesOnAcrossARestart(t *testing.T) {
	for stored := range 4 {
		t.Run(fmt.Sprintf("the hub had %d lines", stored), func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p, cmd, events := underWay(t, s, func(r *wire.Run) { r.Secrets = map[string]string{"TOKEN": "hunter2-hunter2"} })
				p.say <- "line 4"
				time.Sleep(time.Minute)
				h := s.start().link()
				events = events[:len(events)-3+stored]
				h.greetWith(events)
				started := await(h, "Started", func(m wire.Event) bool { return m.Started })
				if ago := time.Duration(started.RanMS) * time.Millisecond; ago < time.Minute || ago > 2*time.Minute || started.Number < numbersPerStart {
					t.Errorf("it tells that it started %v ago, with number %d", ago, started.Number)
				}
				p.say <- "line 5 hunter2-hunter2"
				p.exit <- 7
				events, result := collectAfter(h, cmd, append(events, started))
				checkLines(t, logOf(events), append(numbered(1, 4), "line 5 [secret]"))
				if result.Code != "run.exit" || *result.ExitCode != 7 || result.RanMS < 60_000 {
					t.Errorf("result %+v", result)
				}
				cmd.Epoch = h.epoch
				h.send(cmd) // as a hub does with what was received
				h.accepted(cmd.ID)
				h.ack(cmd.ID, 1)
				synctest.Wait()
				if n := s.engine.Started(cmd.Run.Container); n != 1 || s.engine.there(cmd) {
					t.Errorf("started %d times", n)
				}
			})
		})
	}
}

func TestARunEndsWhileNoWorkerIsThere(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		p, cmd, events := underWay(t, s)
		p.say <- "line 4"
		p.exit <- 0
		synctest.Wait()
		time.Sleep(24 * time.Hour) // longer than its timeout, and it ended well
		h := s.start().link()
		synctest.Wait() // before the hub says anything
		h.greetWith(events)
		events, result := collectAfter(h, cmd, events)
		checkLines(t, logOf(events), numbered(1, 4))
		if result.Status != wire.ResultSucceeded || result.RanMS > 3000 {
			t.Errorf("result %+v", result)
		}
	})
}

// TestATimeoutHoldsAcrossARestart, and needs no hub.
func TestATimeoutHoldsAcrossARestart(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		_, cmd, events := underWay(t, s)
		time.Sleep(50 * time.Minute)
		s.hub.refuse(errAway)
		s.start()
		time.Sleep(9 * time.Minute)
		if c, _, _ := s.engine.Engine.FindRun(t.Context(), cmd.Run.Container); c.State != runs.Running {
			t.Fatalf("after 59 minutes it is %+v", c)
		}
		time.Sleep(2 * time.Minute)
		if c, _, _ := s.engine.Engine.FindRun(t.Context(), cmd.Run.Container); c.State != runs.Exited {
			t.Fatalf("after 61 minutes it is %+v", c)
		}
		s.hub.refuse(nil)
		h := s.link()
		h.greetWith(events)
		if r := h.result(cmd.ID); r.Code != "run.timeout" || *r.ExitCode != 143 {
			t.Errorf("result %+v", r)
		}
	})
}

// TestWhatTheHubSaysAfterARestart about a run whose container an earlier worker started.
func TestWhatTheHubSaysAfterARestart(t *testing.T) {
	cases := map[string]struct {
		do     wire.Settlement
		result bool
	}{"cancel": {wire.SettleCancel, true}, "forget": {wire.SettleForget, false}}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				_, cmd, _ := underWay(t, s)
				h := s.start().link()
				h.greet(func(wire.JournalEntry) wire.Settlement { return c.do })
				if c.result {
					if r := h.result(cmd.ID); r.Status != wire.ResultCancelled || *r.ExitCode != 143 {
						t.Errorf("result %+v", r)
					}
					h.ack(cmd.ID, 1)
				} else {
					silentFor(h, time.Minute, any1[wire.Result])
				}
				synctest.Wait()
				if s.engine.there(cmd) {
					t.Error("the container is left")
				}
				s.stop()
				if left := s.journal(); len(left) != 0 {
					t.Errorf("the journal holds %+v", left)
				}
			})
		})
	}
}

func TestAHubThatDoesNotTellWhatItHasGetsTheWholeLog(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		p, cmd, _ := underWay(t, s)
		h := s.start().greeted()
		p.exit <- 0
		events, _ := collect(h, cmd)
		checkLines(t, logOf(events), append([]string{"… the worker was restarted; lines may stand here twice …"}, numbered(1, 3)...))
	})
}

func TestAContainerThatWasRemovedMeanwhileIsLost(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		_, cmd, events := underWay(t, s)
		s.engine.Lose(cmd.Run.Container)
		h := s.start().link()
		h.greetWith(events)
		if r := h.result(cmd.ID); r.Status != wire.ResultUnknown || r.Code != "run.lost" || r.ExitCode != nil {
			t.Errorf("result %+v", r)
		}
		cmd.Epoch = h.epoch
		h.send(cmd)
		h.result(cmd.ID)
		if n := s.engine.Started(cmd.Run.Container); n != 1 {
			t.Errorf("started %d times", n)
		}
	})
}

// TestTheEndOfALogIsReadFromTheContainer when the worker that had it in memory is gone, or has had too much
// in memory since.
func TestTheEndOfALogIsReadFromTheContainer(t *testing.T) {
	for stored := range 3 {
		t.Run(fmt.Sprintf("the hub had %d lines", stored), func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p := newProgram(s)
				h := s.start().greeted()
				cmd := runOf(h)
				h.send(cmd)
				events := told(h, cmd, "Started")
				for _, line := range numbered(1, 2) {
					p.say <- line
					events = append(events, told(h, cmd, line)...)
				}
				p.exit <- 0
				h.result(cmd.ID)
				s.stop() // before it was acknowledged
				events = events[:len(events)-2+stored]
				for range 2 { // the second time it is in memory
					h = s.start().link()
					h.greetWith(events)
					all, result := collectAfter(h, cmd, events)
					checkLines(t, logOf(all), numbered(1, 2))
					if result.Status != wire.ResultSucceeded {
						t.Errorf("result %+v", result)
					}
					h.end.Cut()
					h = s.link()
					h.greetWith(events)
					again, _ := collectAfter(h, cmd, events)
					checkLines(t, logOf(again), numbered(1, 2))
					s.stop()
				}
			})
		})
	}
}

func TestANewAttemptOfARunReplacesTheContainer(t *testing.T) {
	for name, restart := range map[string]bool{"while the first one runs": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p := newProgram(s)
				h := s.start().greeted()
				cmd := runOf(h)
				h.send(cmd)
				told(h, cmd, "Started")
				if restart {
					s.stop()
					h = s.start().greeted()
				}
				cmd.Attempt, cmd.Epoch = 2, h.epoch
				h.send(cmd)
				await(h, "the second start", func(m wire.Event) bool { return m.Started && m.Attempt == 2 })
				p.exit <- 0
				if r := h.result(cmd.ID); r.Attempt != 2 || r.Status != wire.ResultSucceeded {
					t.Errorf("result %+v; the first attempt was superseded and has none", r)
				}
				if n := s.engine.Started(cmd.Run.Container); n != 2 {
					t.Errorf("started %d times by two attempts", n)
				}
				h.ack(cmd.ID, 2)
				synctest.Wait()
				s.stop()
				if left := s.journal(); len(left) != 0 || s.engine.there(cmd) {
					t.Errorf("the journal holds %+v", left)
				}
			})
		})
	}
}

// runRemains is what a worker that died leaves of one run, built up step by step.
type runRemains struct {
	s       *setup
	cmd     wire.Command
	journal *journal.Journal
}

func (r *runRemains) spec() runs.Spec {
	w := newWork(r.cmd, entryFor(r.cmd, "", time.Now()))
	return r.s.worker.commands.steps.specOf(w, *r.cmd.Run)
}

// TestACrashBetweenAnyTwoStepsOfARun: it is neither lost nor started twice, and its exit code and log are kept.
func TestACrashBetweenAnyTwoStepsOfARun(t *testing.T) {
	steps := []struct {
		name string
		do   func(r *runRemains) error
	}{
		{"received", func(r *runRemains) error { return r.journal.Received(entryFor(r.cmd, digestOf(r.cmd), time.Now())) }},
		{"begun", func(r *runRemains) error { _, err := r.journal.Started(keyOf(r.cmd)); return err }},
		{"made", func(r *runRemains) error {
			return r.s.engine.Engine.PrepareRun(r.s.t.Context(), r.spec(), func(string) {})
		}},
		{"launched", func(r *runRemains) error { return r.journal.Launched(keyOf(r.cmd)) }},
		{"started", func(r *runRemains) error { return r.s.engine.Engine.StartRun(r.s.t.Context(), r.cmd.Run.Container) }},
		{"exited", func(r *runRemains) error { return r.s.engine.Engine.AwaitRun(r.s.t.Context(), r.cmd.Run.Container) }},
		{"ended", func(r *runRemains) error {
			code := 5
			return r.journal.Ended(wire.Result{ID: r.cmd.ID, Attempt: 1, Status: wire.ResultFailed, Code: "run.exit", ExitCode: &code, RanMS: 1, Phases: []wire.PhaseEvent{}})
		}},
	}
	for n := range len(steps) + 1 {
		name := "before anything"
		if n > 0 {
			name = "after it was " + steps[n-1].name
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				s.engine.OnRun = func(_ context.Context, _ runs.Spec, line func(string)) int { line("line 1"); line("line 2"); return 5 }
				first := s.start().greeted()
				r := &runRemains{s: s, cmd: runOf(first)}
				s.stop()
				var err error
				if r.journal, _, err = journal.Open(filepath.Join(s.dir, "data", "journal")); err != nil {
					t.Fatal(err)
				}
				for _, step := range steps[:n] {
					if err := step.do(r); err != nil {
						t.Fatalf("%s: %v", step.name, err)
					}
				}
				if err := r.journal.Close(); err != nil {
					t.Fatal(err)
				}
				h := s.start().link()
				h.greetWith(nil)
				if n < len(steps) { // a hub sends again what was not journaled as ended
					r.cmd.Epoch = h.epoch
					h.send(r.cmd)
				}
				events, result := collect(h, r.cmd)
				if result.Code != "run.exit" || result.ExitCode == nil || *result.ExitCode != 5 || result.RanMS < 1 {
					t.Errorf("result %+v", result)
				}
				checkLines(t, logOf(events), numbered(1, 2))
				if started := s.engine.Started(r.cmd.Run.Container); started != 1 {
					t.Errorf("its container was started %d times", started)
				}
				h.ack(r.cmd.ID, 1)
				synctest.Wait()
				s.stop()
				if left := s.journal(); len(left) != 0 || s.engine.there(r.cmd) {
					t.Errorf("the journal holds %+v", left)
				}
			})
		})
	}
}

// TestItMayBeTooLateToStart what was made by a worker that is long gone.
func TestItMayBeTooLateToStart(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		newProgram(s)
		h := s.start().greeted()
		cmd := runOf(h)
		s.engine.on("launch", func(ctx context.Context, _ Project, _ func(string)) error { <-ctx.Done(); return ctx.Err() })
		h.send(cmd)
		h.accepted(cmd.ID)
		synctest.Wait()
		s.stop()
		s.engine.on("launch", nil)
		time.Sleep(16 * time.Minute)
		h = s.start().greeted()
		if r := h.result(cmd.ID); r.Code != "command.timeout" || r.ExitCode != nil || s.engine.Started(cmd.Run.Container) != 0 {
			t.Errorf("result %+v", r)
		}
	})
}

// TestTheContainerOfANewerCommandIsLeftAlone by an older one that goes on, or is cleared away.
func TestTheContainerOfANewerCommandIsLeftAlone(t *testing.T) {
	for label, older := range map[string]bool{"cmd_b/2": false, "cmd_b/10": false, "cmd_c/1": false, "cmd_a/9": true, "cmd_b/0": true, "": false, "cmd_a": false} {
		if got := before(label, "cmd_b/1"); got != older && label != "cmd_b/1" {
			t.Errorf("%q is older than cmd_b/1: %t", label, got)
		}
	}
	bubble(t, func(t *testing.T, s *setup) {
		newProgram(s)
		h := s.start().greeted()
		cmd := runOf(h)
		labels := map[string]string{runs.LabelCommand: string(cmd.ID) + "/2", runs.LabelWorker: s.worker.commands.steps.self}
		spec := runs.Spec{Name: cmd.Run.Container, Labels: labels}
		if err := s.engine.Engine.PrepareRun(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.engine.Engine.StartRun(t.Context(), spec.Name); err != nil {
			t.Fatal(err)
		}
		h.send(cmd)
		if r := h.result(cmd.ID); r.Code != "run.container_taken" {
			t.Errorf("result %+v", r)
		}
		h.ack(cmd.ID, 1)
		synctest.Wait()
		if c, found, _ := s.engine.Engine.FindRun(t.Context(), spec.Name); !found || c.State != runs.Running {
			t.Errorf("it is %+v", c)
		}
	})
}

// TestAWorkerThatDiesWhileItStopsAContainer: the next one knows why it was stopped, and goes on with that.
func TestAWorkerThatDiesWhileItStopsAContainer(t *testing.T) {
	cases := map[string]struct {
		ending journal.Ending
		exited bool // before the next worker looks
		status wire.ResultStatus
		code   string
	}{
		"cancelled, and it had ended":       {journal.EndCancelled, true, wire.ResultCancelled, "command.cancelled"},
		"cancelled, and it ran on":          {journal.EndCancelled, false, wire.ResultCancelled, "command.cancelled"},
		"its time was over":                 {journal.EndTimeout, true, wire.ResultFailed, "run.timeout"},
		"its time was over, and it ran on":  {journal.EndTimeout, false, wire.ResultFailed, "run.timeout"},
		"for no reason of the worker's own": {"", true, wire.ResultFailed, "run.exit"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				_, cmd, events := underWay(t, s)
				j, _, err := journal.Open(filepath.Join(s.dir, "data", "journal"))
				if err != nil {
					t.Fatal(err)
				}
				if c.ending != "" {
					err = j.Ending(keyOf(cmd), c.ending)
				}
				if err := errors.Join(err, j.Close()); err != nil {
					t.Fatal(err)
				}
				if c.exited {
					if err := s.engine.Engine.StopRun(t.Context(), cmd.Run.Container); err != nil {
						t.Fatal(err)
					}
				}
				h := s.start().link()
				h.greetWith(events)
				if r := h.result(cmd.ID); r.Status != c.status || r.Code != c.code || r.ExitCode == nil || *r.ExitCode != 143 {
					t.Errorf("result %+v", r)
				}
			})
		})
	}
}
