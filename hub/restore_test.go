package hub

import (
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/stacks"
	"berth/core/wire"
)

// failing is a stack whose second revision failed; the command that puts the first one
// back is on its way.
func (s *stand) failing(p *puppet, st stacks.Stack) (failed wire.Command) {
	s.t.Helper()
	failed = s.push(p, map[string]string{"web/compose.yaml": "service web\nservice broken\n"})
	p.send(wire.Accepted{ID: failed.ID, Attempt: failed.Attempt})
	p.send(wire.Event{ID: failed.ID, Attempt: failed.Attempt, Number: 1, Log: "web: started\n", Phase: &wire.PhaseEvent{Name: stacks.PhaseApply, State: stacks.PhaseRunning}})
	if err := p.link.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	result := resultOf(failed, wire.ResultFailed)
	result.Service, result.Lines = "broken", "panic: no such table\n"
	result.Phases = append(result.Phases, wire.PhaseEvent{Name: stacks.PhaseVerify, State: stacks.PhaseFailed, Message: "broken exited", DurationMS: 7})
	p.send(result)
	if ack := expect[wire.ResultAck](p); ack.ID != failed.ID {
		s.t.Fatalf("acknowledged %s", ack.ID)
	}
	return failed
}

func TestAFailureThatChangedTheHostPutsTheLastGoodRevisionBack(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	s.failing(p, st)
	cmd := expect[wire.Command](p)
	if cmd.Deploy == nil || cmd.Deploy.Revision != 1 || cmd.Deploy.Commit != st.Commit || string(cmd.Deploy.Compose) != "service web\n" {
		t.Fatalf("the command is %+v", cmd.Deploy)
	}
	during := s.deployments(st.ID)[0]
	if during.State != stacks.DeploymentRunning || during.Restore.State != stacks.RestoreRunning {
		t.Errorf("while it is put back the deployment is %+v", during)
	}
	p.succeed(cmd)
	d := s.newest(st.ID, stacks.DeploymentRolledBack)
	if d.Error != "web exited with code 3" || d.ErrorCode != "engine.unhealthy" || d.FailedService != "broken" || d.FailedLines != "panic: no such table\n" {
		t.Errorf("why it failed is told as %q, %q, %q, %q", d.ErrorCode, d.Error, d.FailedService, d.FailedLines)
	}
	if d.Restore.State != stacks.RestoreSucceeded || d.Revision != 2 || d.FinishedAt.IsZero() {
		t.Errorf("the deployment is %+v", d)
	}
	for _, phase := range d.Phases {
		if phase.Name == stacks.PhaseVerify && (phase.State != stacks.PhaseFailed || phase.Message != "broken exited") {
			t.Errorf("the restore has overwritten the phase %+v", phase)
		}
	}
	log := s.log(d.ID)
	for _, want := range []string{"\nweb: started\n", "\nweb exited with code 3\n", "restore: web: started\n", "restore: revision 1 is in place again\n"} {
		if strings.Count(log, want) != 1 {
			t.Errorf("the log has %q %d times:\n%s", want, strings.Count(log, want), log)
		}
	}
	got := s.stackIs(st.ID, stacks.StatusActive)
	if got.Revision != 1 || got.Commit != st.Commit || !got.OutOfSync || got.Quarantine.Commit != d.Commit || !got.RetryAt.IsZero() {
		t.Errorf("the stack is %+v", got)
	}
	// The commit is in quarantine until the folder changes.
	s.look()
	s.eventually("the look is done", func() bool { return s.repository().AskedAt.IsZero() })
	p.silent()
	p.succeed(s.push(p, map[string]string{"web/compose.yaml": "service web\nservice fixed\n"}))
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Quarantine != (stacks.Quarantine{}) {
		t.Errorf("the quarantine stays: %+v", got.Quarantine)
	}
}

func TestARestoreThatDoesNotSucceedEndsTheDeploymentOnce(t *testing.T) {
	for name, test := range map[string]struct {
		status wire.ResultStatus
		state  stacks.DeploymentState
	}{
		"failed":                    {wire.ResultFailed, stacks.DeploymentFailed},
		"unknown":                   {wire.ResultUnknown, stacks.DeploymentLost},
		"cancelled by the worker":   {wire.ResultCancelled, stacks.DeploymentCancelled},
		"success at another number": {wire.ResultSucceeded, stacks.DeploymentFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			w, p := s.online()
			st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
			s.failing(p, st)
			result := resultOf(expect[wire.Command](p), test.status)
			if test.status == wire.ResultSucceeded {
				result.Observed.Revision = 2
			}
			p.send(result)
			expect[wire.ResultAck](p)
			d := s.newest(st.ID, test.state)
			if d.Error != "web exited with code 3" || d.Restore.State != stacks.RestoreFailed || !strings.HasPrefix(d.Restore.Error, "revision 1 could not be put back: ") {
				t.Errorf("the deployment is %+v", d)
			}
			if got := s.stackIs(st.ID, stacks.StatusError); !got.OutOfSync {
				t.Errorf("the stack is %+v", got)
			}
			s.log(d.ID) // whose numbers have no gap
		})
	}
}

func TestARestoreSurvivesRestartsAndRepeats(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	failed := s.failing(p, st)
	cmd := expect[wire.Command](p)
	p.leave()

	// The acknowledgement of the failure was lost: it is acknowledged again, and ends nothing.
	p = s.connect(w, wire.JournalEntry{ID: failed.ID, Attempt: failed.Attempt, State: wire.JournalResult})
	if p.welcome.Settle[0].Do != wire.SettleAcknowledged {
		t.Errorf("the failure is settled as %s", p.welcome.Settle[0].Do)
	}
	if again := expect[wire.Command](p); again.ID != cmd.ID || again.Attempt != cmd.Attempt {
		t.Errorf("the restore came as %s, then as %s", cmd.ID, again.ID)
	}
	p.fail(failed)
	p.send(wire.Event{ID: failed.ID, Attempt: failed.Attempt, Number: 99, Log: "late\n", Phase: &wire.PhaseEvent{Name: stacks.PhaseVerify, State: stacks.PhaseRunning}})
	p.silent()
	if d := s.deployments(st.ID)[0]; d.State != stacks.DeploymentRunning {
		t.Fatalf("a repeated result ended the deployment: %+v", d)
	}
	p.leave()

	// The hub restarts while the worker puts it back.
	s.restart()
	p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalReceived})
	if p.welcome.Settle[0].Do != wire.SettleRun {
		t.Errorf("the restore is settled as %s", p.welcome.Settle[0].Do)
	}
	p.succeed(expect[wire.Command](p))
	d := s.newest(st.ID, stacks.DeploymentRolledBack)
	for _, phase := range d.Phases {
		if phase.State == stacks.PhaseRunning {
			t.Errorf("phase %s looks as if it went on", phase.Name)
		}
	}
	if log := s.log(d.ID); strings.Contains(log, "late") || strings.Count(log, "web exited with code 3") != 1 {
		t.Errorf("the log is\n%s", log)
	}
	p.silent()
}

func TestCancelDuringARestore(t *testing.T) {
	t.Run("before the worker has it", func(t *testing.T) {
		s := newStand(t)
		w, p := s.online()
		st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
		failed := s.push(p, map[string]string{"web/compose.yaml": "service web\nservice broken\n"})
		release := s.holdSecrets() // so that the restore is not sent
		defer release()
		p.fail(failed)
		if _, err := s.desk.Cancel(t.Context(), failed.Deploy.Deployment, access.System); err != nil {
			t.Fatal(err)
		}
		d := s.newest(st.ID, stacks.DeploymentCancelled)
		if d.Error != "web exited with code 3" || !strings.Contains(d.Restore.Error, "before revision 1 was put back") {
			t.Errorf("the deployment is %+v", d)
		}
		s.stackIs(st.ID, stacks.StatusError)
		release()
		p.silent()
	})
	t.Run("at the worker", func(t *testing.T) {
		s := newStand(t)
		w, p := s.online()
		st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
		s.failing(p, st)
		cmd := expect[wire.Command](p)
		if _, err := s.desk.Cancel(t.Context(), s.deployments(st.ID)[0].ID, access.System); err != nil {
			t.Fatal(err)
		}
		if c := expect[wire.Cancel](p); c.ID != cmd.ID {
			t.Errorf("cancelled %s, want %s", c.ID, cmd.ID)
		}
		p.send(resultOf(cmd, wire.ResultCancelled))
		s.newest(st.ID, stacks.DeploymentCancelled)
		s.stackIs(st.ID, stacks.StatusError)
	})
}

func TestARestoreThatCannotBeSentIsAFailure(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.secret("TOKEN", "a")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n"})
	failed := s.push(p, map[string]string{"web/compose.yaml": "service web\n"})
	s.secret("TOKEN", "")
	p.fail(failed)
	d := s.newest(st.ID, stacks.DeploymentFailed)
	if d.ErrorCode != "engine.unhealthy" || !strings.Contains(d.Restore.Error, "TOKEN") {
		t.Errorf("the deployment is %+v", d)
	}
	s.stackIs(st.ID, stacks.StatusError)
	p.silent()
}

func TestOnFailureKeepLeavesWhatRunsAndTriesAgain(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	p.fail(s.push(p, map[string]string{"web/compose.yaml": "service broken\n", "web/wireops.yaml": `{"version": "wireops.v1", "deploy": {"on_failure": "keep"}}`}))
	d := s.newest(st.ID, stacks.DeploymentFailed)
	if d.Restore.Revision != 0 {
		t.Errorf("something was put back: %+v", d.Restore)
	}
	if got := s.stackIs(st.ID, stacks.StatusError); got.RetryAt.IsZero() || got.Quarantine.Tree != "" {
		t.Errorf("the stack is %+v", got)
	}
	p.silent()
}
