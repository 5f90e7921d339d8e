package hub

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

// An image that cannot be pulled once is pulled the next time; until then nothing looks as if it
// were in place.
func TestO1APullThatFailsOnceIsTriedAgain(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	failed := s.push(p, map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	result := resultOf(failed, wire.ResultFailed)
	result.Code, result.Error = "engine.pull", "the registry does not answer"
	result.Phases = []wire.PhaseEvent{{Name: stacks.PhasePull, State: stacks.PhaseFailed, Message: "the registry does not answer"},
		{Name: stacks.PhaseApply, State: stacks.PhaseSkipped}, {Name: stacks.PhaseVerify, State: stacks.PhaseSkipped}}
	result.Observed.Revision = 1
	p.send(result)
	expect[wire.ResultAck](p)
	got := s.stackIs(st.ID, stacks.StatusError)
	if got.Revision != 1 || !got.OutOfSync || got.RetryAt.IsZero() || got.Quarantine.Tree != "" {
		t.Fatalf("the stack is %+v", got)
	}
	if d := s.deployments(st.ID)[0]; d.State != stacks.DeploymentFailed || d.Restore.Revision != 0 {
		t.Errorf("nothing was changed, yet the deployment is %+v", d)
	}
	s.ahead.Add(int64(got.RetryAt.Sub(s.now()) + time.Second))
	s.hub.Nudge()
	cmd := expect[wire.Command](p)
	if cmd.ID == failed.ID || cmd.Deploy.Revision != failed.Deploy.Revision {
		t.Errorf("it is tried again as %s with revision %d", cmd.ID, cmd.Deploy.Revision)
	}
	p.succeed(cmd)
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Revision != 2 || got.OutOfSync {
		t.Errorf("the stack is %+v", got)
	}
}

func TestO2ASyncDuringAnOutageOfTheGitHostConverges(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	head := s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.git.Fail(repositoryURL, errUnreachable)
	if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	d := s.newest(st.ID, stacks.DeploymentFailed)
	if d.ErrorCode != "git.unreachable" {
		t.Errorf("the deployment is %+v", d)
	}
	if got := s.stackIs(st.ID, stacks.StatusError); got.Revision != 1 || got.RetryAt.IsZero() {
		t.Errorf("the stack is %+v", got)
	}
	s.look()
	s.eventually("the repository shows the outage", func() bool { return s.repository().ErrorCode == "git.unreachable" })
	s.git.Fail(repositoryURL, nil)
	s.look() // as the next poll does; nobody syncs the stack
	cmd := expect[wire.Command](p)
	if cmd.Deploy.Commit != head {
		t.Errorf("commit %s is deployed, want %s", cmd.Deploy.Commit, head)
	}
	p.succeed(cmd)
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Revision != 2 || got.OutOfSync {
		t.Errorf("the stack is %+v", got)
	}
	p.silent()
}

func TestO4WishesForWhatIsNotThereOrRunsAlready(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	unknown := core.StackID(core.NewID(core.PrefixStack, time.Now()))
	for name, ask := range map[string]func(core.StackID) (stacks.Deployment, error){
		"sync": func(id core.StackID) (stacks.Deployment, error) { return s.desk.Sync(t.Context(), id, access.System) },
		"redeploy": func(id core.StackID) (stacks.Deployment, error) {
			return s.desk.Redeploy(t.Context(), id, stacks.DeployOptions{}, access.System)
		},
		"rollback": func(id core.StackID) (stacks.Deployment, error) {
			return s.desk.Rollback(t.Context(), id, 1, access.System)
		},
	} {
		if _, err := ask(unknown); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a stack that is not there: %v", name, err)
		}
	}
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	p.succeed(s.push(p, map[string]string{"web/compose.yaml": "service web\nservice more\n"}))
	s.eventually("revision 2 is in place", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	running, err := s.desk.Redeploy(t.Context(), st.ID, stacks.DeployOptions{}, access.System)
	if err != nil {
		t.Fatal(err)
	}
	cmd := expect[wire.Command](p)
	sync, err := s.desk.Sync(t.Context(), st.ID, access.System)
	if err != nil || sync.ID == running.ID || sync.State != stacks.DeploymentQueued {
		t.Fatalf("a sync while one runs is answered with %+v, %v", sync, err)
	}
	back, err := s.desk.Rollback(t.Context(), st.ID, 1, access.System)
	if err != nil || back.State != stacks.DeploymentQueued || back.Aim.Revision != 1 {
		t.Fatalf("a rollback while one runs is answered with %+v, %v", back, err)
	}
	again, err := s.desk.Rollback(t.Context(), st.ID, 1, access.System)
	if err != nil || again.ID != back.ID {
		t.Errorf("the same rollback again is answered with %+v, %v", again, err)
	}
	p.succeed(cmd)
	next := expect[wire.Command](p)
	if next.Deploy.Deployment != back.ID || next.Deploy.Revision != 1 {
		t.Errorf("after the one that ran comes %+v", next.Deploy)
	}
	p.succeed(next)
	s.eventually("revision 1 is in place", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 1 })
	p.silent()
	for _, d := range s.deployments(st.ID) {
		if !d.State.Ended() || d.Error == "" && d.State == stacks.DeploymentSuperseded {
			t.Errorf("a wish was dropped: %+v", d)
		}
	}
}

func TestG8APushDuringADeploymentIsDeployedAfterwards(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	head := s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.look()
	s.eventually("the push is queued", func() bool { return len(s.deployments(st.ID)) == 2 })
	p.silent()
	p.succeed(cmd)
	next := expect[wire.Command](p)
	if next.Deploy.Commit != head || next.Deploy.Revision != 2 {
		t.Errorf("afterwards comes %+v", next.Deploy)
	}
	p.succeed(next)
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Commit != head || got.OutOfSync {
		t.Errorf("the stack is %+v", got)
	}
	p.silent()
}

func TestG7AHundredPushesDuringADeploymentAreOneMore(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	var head core.Commit
	for i := range 100 {
		head = s.commit(map[string]string{"web/n": fmt.Sprint(i)})
		s.look()
	}
	s.eventually("the last push was looked at", func() bool { r := s.repository(); return r.Head == head && r.AskedAt.IsZero() })
	p.succeed(cmd)
	next := expect[wire.Command](p)
	if next.Deploy.Commit != head {
		t.Errorf("afterwards comes %s, the head is %s", next.Deploy.Commit, head)
	}
	p.succeed(next)
	s.stackIs(st.ID, stacks.StatusActive)
	p.silent()
	begun := slices.DeleteFunc(s.deployments(st.ID), func(d stacks.Deployment) bool { return d.State == stacks.DeploymentSuperseded })
	if len(begun) > 3 {
		t.Errorf("%d deployments of 100 pushes", len(begun))
	}
}
