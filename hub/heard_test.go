package hub

import (
	"fmt"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/core/wire"
)

// begun is a deployment of which the worker has told event 1.
func (s *stand) begun() (p *puppet, st stacks.Stack, cmd wire.Command) {
	s.t.Helper()
	w, p := s.online()
	st, cmd = s.sent(w, p)
	p.tell(cmd, 1, "first\n")
	return p, st, cmd
}

// tell sends an event and returns once it was written.
func (p *puppet) tell(cmd wire.Command, number uint64, text string) {
	p.t.Helper()
	p.send(wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: number, Log: text})
	if err := p.link.Flush(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// finish sends a result that tells of so many events.
func (p *puppet) finish(cmd wire.Command, status wire.ResultStatus, events uint64) {
	p.t.Helper()
	result := resultOf(cmd, status)
	result.Events = events
	p.send(result)
	expect[wire.ResultAck](p)
}

func TestWhatAResultOvertakesIsMarkedInTheLog(t *testing.T) {
	for name, test := range map[string]struct {
		events uint64
		mark   string
	}{
		"all have come":                       {1, ""},
		"a worker that does not tell":         {0, ""},
		"some are on their way":               {4, "[3 messages of the worker had not arrived when the deployment ended]\n"},
		"the worker was restarted in between": {1<<20 + 4, "[some messages of the worker had not arrived when the deployment ended]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			p, st, cmd := s.begun()
			p.finish(cmd, wire.ResultSucceeded, test.events)
			p.tell(cmd, 2, "late\n")
			p.silent()
			d := s.newest(st.ID, stacks.DeploymentSucceeded)
			log := s.log(d.ID)
			if strings.Contains(log, "late") || strings.Contains(log, "of the worker") != (test.mark != "") || !strings.HasSuffix(log, "first\n"+test.mark) {
				t.Errorf("the log is\n%s", log)
			}
		})
	}
}

func TestEventsAreCountedOverLinksAndFromTheFirst(t *testing.T) {
	s := newStand(t)
	p, st, cmd := s.begun()
	p.silent() // event 1 was applied
	p.leave()
	w, err := s.store.Worker(t.Context(), st.Worker)
	if err != nil {
		t.Fatal(err)
	}
	p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
	again := expect[wire.Command](p)
	p.tell(again, 4, "fourth\n")
	p.finish(again, wire.ResultSucceeded, 5)
	log := s.log(s.newest(st.ID, stacks.DeploymentSucceeded).ID)
	if !strings.Contains(log, "first\n") || !strings.HasSuffix(log, "[2 messages of the worker are missing]\nfourth\n[1 messages of the worker had not arrived when the deployment ended]\n") {
		t.Errorf("the log is\n%s", log)
	}
}

// restarted is begun after which the hub was started anew; what happens in between.
func (s *stand) restarted(between ...func()) (st stacks.Stack, cmd wire.Command) {
	s.t.Helper()
	p, st, cmd := s.begun()
	p.silent()
	p.leave()
	s.restart(between...)
	return st, cmd
}

func (s *stand) back(st stacks.Stack, cmd wire.Command) *puppet {
	s.t.Helper()
	w, err := s.store.Worker(s.t.Context(), st.Worker)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
}

func TestAHubThatDidNotHearTheBeginningKnowsHowFarItIsStored(t *testing.T) {
	s := newStand(t)
	st, cmd := s.restarted()
	p := s.back(st, cmd)
	if i := p.welcome.Settle[0]; i.Heard == nil || *i.Heard != 1 {
		t.Errorf("the worker is told %+v", i)
	}
	again := expect[wire.Command](p)
	p.tell(again, 1, "first\n") // the worker says again what it cannot know to be stored
	p.tell(again, 2, "second\n")
	p.tell(again, 4, "fourth\n")
	p.tell(again, 4, "fourth\n")
	p.finish(again, wire.ResultSucceeded, 9)
	log := s.log(s.newest(st.ID, stacks.DeploymentSucceeded).ID)
	want := "second\n[1 messages of the worker are missing]\nfourth\n[5 messages of the worker had not arrived when the deployment ended]\n"
	if !strings.HasSuffix(log, want) || strings.Count(log, "first\n") != 1 {
		t.Errorf("the log is\n%s", log)
	}
}

func TestOfADeploymentThatAnOlderHubHeardNoNumberIsClaimed(t *testing.T) {
	s := newStand(t)
	st, cmd := s.restarted(func() {
		open, err := s.store.OpenDeployments(t.Context())
		if err != nil || len(open) != 1 {
			t.Fatalf("%v are open, %v", open, err)
		}
		d := open[0]
		if err := s.store.SaveProgress(t.Context(), []stacks.Progress{{Deployment: d.ID, Commit: d.Commit, Phases: d.Phases, Heard: stacks.Heard{Command: unnumbered}}}, nil); err != nil {
			t.Fatal(err)
		}
	})
	p := s.back(st, cmd)
	if i := p.welcome.Settle[0]; i.Heard != nil {
		t.Errorf("the worker is told %d", *i.Heard)
	}
	p.finish(expect[wire.Command](p), wire.ResultSucceeded, 9)
	if log := s.log(s.newest(st.ID, stacks.DeploymentSucceeded).ID); !strings.HasSuffix(log, fmt.Sprintf(restartMarker, "deployment")) {
		t.Errorf("the log is\n%s", log)
	}
}

func TestWhatTheEndOfARestoreOvertakesIsMarkedAsItsOwn(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	s.failing(p, st)
	cmd := expect[wire.Command](p)
	p.tell(cmd, 1, "putting it back\n")
	p.finish(cmd, wire.ResultSucceeded, 3)
	want := "restore: putting it back\nrestore: [2 messages of the worker had not arrived when the deployment ended]\nrestore: revision 1 is in place again\n"
	if log := s.log(s.newest(st.ID, stacks.DeploymentRolledBack).ID); !strings.HasSuffix(log, want) {
		t.Errorf("the log is\n%s", log)
	}
}
