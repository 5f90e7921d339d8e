package worker

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/journal"
)

func TestRedeliveryIsAnsweredAndNotDoneAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release := make(chan struct{})
		s.engine.on("apply", func(context.Context, Project, func(string)) error { <-release; return nil })
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		h.accepted(cmd.ID)
		h.send(cmd) // while it runs
		h.accepted(cmd.ID)
		close(release)
		h.result(cmd.ID)
		h.send(cmd) // before its result is acknowledged
		h.accepted(cmd.ID)
		h.result(cmd.ID)
		h.ack(cmd.ID, 1)
		h.send(cmd) // crossing the acknowledgement
		h.accepted(cmd.ID)
		if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		silentFor(h, time.Minute, any1[wire.Result])
		if n := len(s.engine.called("apply")); n != 1 {
			t.Errorf("applied %d times", n)
		}
	})
}

func TestANewAttemptAfterAFailureAppliesAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		s.engine.on("verify", func(context.Context, Project, func(string)) error {
			return fault.New(fault.Conflict, "engine.unhealthy", "No.")
		})
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		h.result(cmd.ID)
		h.ack(cmd.ID, 1)
		hook, began := hang()
		s.engine.on("apply", hook)
		cmd.Attempt = 2
		h.send(cmd)
		<-began
		s.stop() // in the middle of what the first attempt had done already
		s.engine.on("apply", nil)
		s.engine.on("verify", nil)
		again := s.start().greeted()
		cmd.Epoch = again.epoch
		again.send(cmd)
		if r := await(again, "Result", func(m wire.Result) bool { return m.Attempt == 2 }); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		if n := len(s.engine.called("apply")); n != 3 {
			t.Errorf("applied %d times, want by each attempt, and again after the restart", n)
		}
	})
}

func TestDigestOfACommand(t *testing.T) {
	h := &hubEnd{epoch: 1}
	base := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.Secrets = map[string]string{"A": "one"} })
	changed := func(change func(*wire.Command, *wire.Deploy)) wire.Command {
		cmd, body := base, *base.Deploy
		cmd.Deploy = &body
		change(&cmd, &body)
		return cmd
	}
	same := map[string]wire.Command{
		"other secrets":         changed(func(_ *wire.Command, d *wire.Deploy) { d.Secrets = map[string]string{"A": "two"} }),
		"another link":          changed(func(c *wire.Command, _ *wire.Deploy) { c.Epoch = 9 }),
		"less time than before": changed(func(c *wire.Command, _ *wire.Deploy) { c.Seconds = 9 }),
	}
	for name, cmd := range same {
		if digestOf(cmd) != digestOf(base) {
			t.Errorf("%s: the digest differs", name)
		}
	}
	other := changed(func(_ *wire.Command, d *wire.Deploy) { d.Compose = []byte("x") })
	if digestOf(other) == digestOf(base) || base.Deploy.Secrets["A"] != "one" {
		t.Error("another body has the same digest, or the command was changed")
	}
}

func TestANewAttemptIsReallyDone(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply", hook)
		first := deployOf(h, newStack(), 1)
		h.send(first)
		<-began
		s.engine.on("apply", nil)
		second := first
		second.Attempt = 2
		h.send(second)
		if r := h.result(first.ID); r.Attempt != 2 || r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v; the first attempt was superseded and has none", r)
		}
		h.send(first) // late
		silentFor(h, time.Minute, func(m wire.Accepted) bool { return m.Attempt == 1 })
		if n := len(s.engine.called("apply")); n != 2 {
			t.Errorf("applied %d times, want 2", n)
		}
		h.ack(second.ID, 2)
		synctest.Wait()
		s.stop()
		if left := s.journal(); len(left) != 0 {
			t.Errorf("the journal holds %+v", left)
		}
	})
}

func TestResultWaitsForTheNextLink(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		release := make(chan struct{})
		s.engine.on("apply", func(context.Context, Project, func(string)) error { <-release; return nil })
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		h.accepted(cmd.ID)
		h.end.Cut()
		close(release)

		again := s.link()
		hello := again.greet(goOn)
		if len(hello.Journal) != 1 || hello.Journal[0].ID != cmd.ID || hello.Journal[0].State != wire.JournalResult {
			t.Errorf("journal %+v", hello.Journal)
		}
		if r := again.result(cmd.ID); r.Status != wire.ResultSucceeded {
			t.Errorf("result %+v", r)
		}
		again.end.Cut() // before it was acknowledged
		third := s.greeted()
		third.result(cmd.ID)
		third.ack(cmd.ID, 1)
		synctest.Wait()
		third.end.Cut()
		if hello := s.link().greet(goOn); len(hello.Journal) != 0 {
			t.Errorf("journal after the acknowledgement: %+v", hello.Journal)
		}
		if n := len(s.engine.called("apply")); n != 1 {
			t.Errorf("applied %d times", n)
		}
	})
}

// The link ends right after the command came in: the worker may or may not have it, and
// does it once either way.
func TestLinkEndsAroundTheAcceptance(t *testing.T) {
	for name, wait := range map[string]bool{"before it is read": false, "after it was journaled": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				synctest.Wait()
				h.end.Stall(!wait)
				cmd := deployOf(h, newStack(), 1)
				h.send(cmd)
				synctest.Wait()
				h.end.Cut()
				again := s.greeted()
				cmd.Epoch = again.epoch
				again.send(cmd)
				again.accepted(cmd.ID)
				again.result(cmd.ID)
				if n := len(s.engine.called("apply")); n != 1 {
					t.Errorf("applied %d times", n)
				}
			})
		})
	}
}

func TestSettlement(t *testing.T) {
	t.Run("forget stops what runs and says nothing", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			cmd, again := interrupted(s, func(wire.JournalEntry) wire.Settlement { return wire.SettleForget })
			silentFor(again, time.Minute, func(m wire.Result) bool { return m.ID == cmd.ID })
			s.stop()
			if left := s.journal(); len(left) != 0 {
				t.Errorf("the journal holds %+v", left)
			}
		})
	})
	t.Run("cancel stops what runs and gets its result", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			cmd, again := interrupted(s, func(wire.JournalEntry) wire.Settlement { return wire.SettleCancel })
			if r := again.result(cmd.ID); r.Status != wire.ResultCancelled || r.Code != "command.cancelled" {
				t.Errorf("result %+v", r)
			}
		})
	})
	t.Run("run goes on", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			cmd, again := interrupted(s, goOn)
			again.send(wire.Cancel{ID: cmd.ID, Attempt: 1})
			again.result(cmd.ID)
			if n := len(s.engine.called("apply")); n != 1 {
				t.Errorf("applied %d times", n)
			}
		})
	})
	t.Run("acknowledged prunes", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *setup) {
			h := s.start().greeted()
			cmd := deployOf(h, newStack(), 1)
			h.send(cmd)
			h.result(cmd.ID)
			h.end.Cut()
			again := s.link()
			again.greet(func(wire.JournalEntry) wire.Settlement { return wire.SettleAcknowledged })
			silentFor(again, time.Minute, any1[wire.Result])
			s.stop()
			if left := s.journal(); len(left) != 0 {
				t.Errorf("the journal holds %+v", left)
			}
		})
	})
}

// interrupted starts a deployment that hangs, cuts the link, and returns the next one.
func interrupted(s *setup, do func(wire.JournalEntry) wire.Settlement) (wire.Command, *hubEnd) {
	s.t.Helper()
	h := s.start().greeted()
	hook, began := hang()
	s.engine.on("apply", hook)
	cmd := deployOf(h, newStack(), 1)
	h.send(cmd)
	<-began
	h.end.Cut()
	again := s.link()
	hello := again.greet(do)
	if len(hello.Journal) != 1 || hello.Journal[0].State != wire.JournalReceived {
		s.t.Errorf("journal %+v", hello.Journal)
	}
	return cmd, again
}

func TestCancel(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("verify", hook)
		stack := newStack()
		running, waiting := deployOf(h, stack, 1), deployOf(h, stack, 2)
		h.send(running)
		<-began
		h.send(waiting)
		h.accepted(waiting.ID)

		h.send(wire.Cancel{ID: waiting.ID, Attempt: 1})
		if r := h.result(waiting.ID); r.Status != wire.ResultCancelled || !strings.Contains(r.Error, "waiting for its turn") {
			t.Errorf("result %+v", r)
		}
		h.send(wire.Cancel{ID: running.ID, Attempt: 1})
		r := h.result(running.ID)
		if r.Status != wire.ResultCancelled || r.Observed == nil || len(r.Observed.Containers) != 1 {
			t.Errorf("result %+v", r)
		}
		checkPhases(t, r.Phases, "pull succeeded", "apply succeeded", "verify failed")
		h.send(wire.Cancel{ID: running.ID, Attempt: 1}) // again, after it has ended
		if again := h.result(running.ID); again.Status != wire.ResultCancelled {
			t.Errorf("result %+v", again)
		}
		if n := len(s.engine.called("pull")); n != 1 {
			t.Errorf("the waiting command was begun: %d pulls", n)
		}
	})
}

func TestCancelOfAnUnknownCommandIsRemembered(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 1)
		h.send(wire.Cancel{ID: cmd.ID, Attempt: 1})
		if r := h.result(cmd.ID); r.Status != wire.ResultCancelled {
			t.Errorf("result %+v", r)
		}
		s.stop()

		again := s.start().greeted() // another process
		again.result(cmd.ID)
		cmd.Epoch = again.epoch
		again.send(cmd)
		again.accepted(cmd.ID)
		again.result(cmd.ID)
		again.ack(cmd.ID, 1)
		again.send(cmd)
		again.accepted(cmd.ID)
		again.result(cmd.ID)
		if n := len(s.engine.called("pull")); n != 0 {
			t.Errorf("the cancelled command was begun: %d pulls", n)
		}
	})
}

func TestOneCommandPerStackAndFewAltogether(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply", hook)
		stack := newStack()
		first := deployOf(h, stack, 1)
		h.send(first)
		<-began
		sent := []wire.Command{deployOf(h, stack, 2)}
		h.send(sent[0])
		for range maxParallel + 1 {
			cmd := deployOf(h, newStack(), 1)
			sent = append(sent, cmd)
			h.send(cmd)
		}
		synctest.Wait()
		if n := len(began) + 1; n != maxParallel {
			t.Errorf("%d commands run at once, want %d", n, maxParallel)
		}
		s.engine.on("apply", nil)
		h.send(wire.Cancel{ID: first.ID, Attempt: 1})
		if r := h.result(sent[0].ID); r.Status != wire.ResultSucceeded {
			t.Errorf("the next command of the stack: %+v", r)
		}
	})
}

func TestCommandsBeyondTheQueueAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, _ := hang()
		s.engine.on("pull", hook)
		stack := newStack()
		for range maxQueued + 1 {
			h.send(deployOf(h, stack, 1))
		}
		last := deployOf(h, stack, 1)
		h.send(last)
		if r := h.result(last.ID); r.Status != wire.ResultFailed || r.Code != "worker.busy" {
			t.Errorf("result %+v", r)
		}
		synctest.Wait()
		s.stop()
		if left := s.journal(); len(left) != maxQueued+1 {
			t.Errorf("the journal holds %d entries; the refused command must not be one of %d", len(left), maxQueued+1)
		}
	})
}

func TestFullJournalRefuses(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		for range journal.MaxEntries {
			h.send(wire.Cancel{ID: core.CommandID(id("cmd")), Attempt: 1})
		}
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		if r := h.result(cmd.ID); r.Code != "worker.busy" {
			t.Errorf("result %+v", r)
		}
	})
}

func TestCommandOfAnotherEpochEndsTheLink(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		cmd := deployOf(h, newStack(), 1)
		cmd.Epoch++
		h.send(cmd)
		<-h.over
		s.greeted()
		if n := len(s.engine.called("pull")); n != 0 {
			t.Errorf("the command was begun")
		}
	})
}

func TestDrainInterruptsAndKeeps(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply p-quick", nil)
		s.engine.on("apply", hook)
		cmd := deployOf(h, newStack(), 3)
		h.send(cmd)
		<-began
		if took := s.stop(); took < drainGrace || took > 8*time.Second {
			t.Errorf("stopping took %v", took)
		}
		await(h, "Bye", any1[wire.Bye])
		<-h.over
		left := s.journal()
		if len(left) != 1 || left[0].State() != wire.JournalReceived || left[0].Starts != 1 || left[0].Revision != 3 {
			t.Errorf("the journal holds %+v", left)
		}
		if n := len(s.engine.called("down")) + len(s.engine.called("stop")); n != 0 {
			t.Error("containers were stopped")
		}
	})
}

func TestDrainLetsACommandEnd(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		began := make(chan struct{})
		s.engine.on("verify", func(ctx context.Context, _ Project, _ func(string)) error {
			close(began)
			return pause(ctx, nil, 3*time.Second)
		})
		cmd := deployOf(h, newStack(), 1)
		h.send(cmd)
		<-began
		late := deployOf(h, newStack(), 1)
		go func() {
			time.Sleep(time.Second) // of fake time: the worker drains by now
			h.send(late)
		}()
		took := s.stop()
		if r := h.result(cmd.ID); r.Status != wire.ResultSucceeded || took > 8*time.Second {
			t.Errorf("after %v: %+v", took, r)
		}
		await(h, "Bye", any1[wire.Bye])
		for _, e := range s.journal() {
			if e.ID == late.ID {
				t.Error("a command was taken on by a worker that is stopping")
			}
		}
	})
}

func TestAfterARestartOfTheWorker(t *testing.T) {
	cases := map[string]struct {
		interruptAt string
		made        bool // the containers were made before the interruption
		wantApply   int  // by the second worker
		phases      []string
	}{
		"what was not applied is applied":   {"apply", false, 1, []string{"pull succeeded", "apply succeeded", "verify succeeded"}},
		"what was half applied goes on":     {"apply", true, 1, []string{"pull succeeded", "apply succeeded", "verify succeeded"}},
		"what was applied is only verified": {"verify", true, 0, []string{"pull skipped", "apply skipped", "verify succeeded"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				began := make(chan struct{})
				s.engine.on(c.interruptAt, func(ctx context.Context, p Project, _ func(string)) error {
					if c.made {
						s.engine.run(p)
					}
					close(began)
					<-ctx.Done()
					return ctx.Err()
				})
				cmd := deployOf(h, newStack(), 5)
				h.send(cmd)
				<-began
				s.stop()
				s.engine.on(c.interruptAt, nil)
				before := len(s.engine.called("apply"))

				again := s.start().link()
				hello := again.greet(goOn)
				if len(hello.Journal) != 1 || hello.Journal[0].State != wire.JournalReceived {
					t.Fatalf("journal %+v", hello.Journal)
				}
				silentFor(again, time.Minute, any1[wire.Result]) // its secrets are gone: it waits for the command
				cmd.Epoch = again.epoch
				again.send(cmd)
				again.accepted(cmd.ID)
				events, result := collect(again, cmd)
				if result.Status != wire.ResultSucceeded {
					t.Errorf("result %+v", result)
				}
				checkPhases(t, result.Phases, c.phases...)
				if n := len(s.engine.called("apply")) - before; n != c.wantApply {
					t.Errorf("applied %d times, want %d", n, c.wantApply)
				}
				if len(events) == 0 || events[0].Number <= numbersPerStart {
					t.Errorf("the numbers of events begin again: %+v", events)
				}
			})
		})
	}
}

// What the options of a deployment ask to be made anew is made anew once, however often the
// worker is restarted meanwhile.
func TestAnInterruptedRecreationGoesOnWhereItWas(t *testing.T) {
	cases := map[string]struct {
		made    []string // compose services whose containers were recreated before the interruption
		replace []string // by the second worker
	}{
		"when none was recreated": {nil, []string{"db", "web"}},
		"when some were":          {[]string{"web"}, []string{"db"}},
		"when all were":           {[]string{"web", "db"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				s.engine.services = []string{"web", "db"}
				stack := newStack()
				first := deployOf(h, stack, 1)
				h.send(first)
				h.result(first.ID)
				began := make(chan struct{})
				s.engine.on("apply", func(ctx context.Context, p Project, _ func(string)) error {
					s.engine.remake(p, c.made...)
					close(began)
					<-ctx.Done()
					return ctx.Err()
				})
				cmd := deployOf(h, stack, 1, func(d *wire.Deploy) { d.Recreate = true })
				h.send(cmd)
				<-began
				s.stop()
				s.engine.on("apply", nil)
				again := s.start().greeted()
				cmd.Epoch = again.epoch
				again.send(cmd)
				if r := again.result(cmd.ID); r.Status != wire.ResultSucceeded {
					t.Errorf("result %+v", r)
				}
				if p := s.engine.lastProject(); p.Recreate || !slices.Equal(p.Replace, c.replace) {
					t.Errorf("recreate all: %v, some: %v; want %v", p.Recreate, p.Replace, c.replace)
				}
			})
		})
	}
}

func TestAnInterruptedRecreationOfVolumesTakesNothingDownThatIsNew(t *testing.T) {
	for name, made := range map[string]bool{"before anything was made": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				began := make(chan struct{})
				s.engine.on("apply", func(ctx context.Context, p Project, _ func(string)) error {
					if made {
						s.engine.run(p)
					}
					close(began)
					<-ctx.Done()
					return ctx.Err()
				})
				cmd := deployOf(h, newStack(), 1, func(d *wire.Deploy) { d.RecreateVolumes = true })
				h.send(cmd)
				<-began
				s.stop()
				s.engine.on("apply", nil)
				again := s.start().greeted()
				cmd.Epoch = again.epoch
				again.send(cmd)
				again.result(cmd.ID)
				if n := len(s.engine.called("down")); made && n != 1 || !made && n != 2 {
					t.Errorf("the project was taken down %d times", n)
				}
			})
		})
	}
}

func TestCancelAfterARestartOfTheWorker(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		hook, began := hang()
		s.engine.on("apply", hook)
		cmd := deployOf(h, newStack(), 5)
		h.send(cmd)
		<-began
		s.stop()
		again := s.start().link()
		again.greet(func(wire.JournalEntry) wire.Settlement { return wire.SettleCancel })
		if r := again.result(cmd.ID); r.Status != wire.ResultCancelled {
			t.Errorf("result %+v", r)
		}
	})
}

func TestASecondWorkerOnTheSameDirectoryIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.start().greeted()
		other := New(s.worker.options)
		if err := other.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "another worker uses") {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestRecentIsBounded(t *testing.T) {
	r := newRecent()
	for n := range maxRecent + 10 {
		r.add(wire.Result{ID: "cmd_1", Attempt: n + 1})
		r.add(wire.Result{ID: "cmd_1", Attempt: n + 1})
	}
	if len(r.order) != maxRecent || len(r.results) != maxRecent || r.newest("cmd_1") != maxRecent+10 || r.newest("cmd_2") != 0 {
		t.Errorf("%d and %d remembered, newest %d", len(r.order), len(r.results), r.newest("cmd_1"))
	}
}
