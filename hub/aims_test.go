package hub

import (
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/stacks"
	"berth/core/wire"
)

// deployed adds a stack and deploys it once.
func (s *stand) deployed(p *puppet, w fleet.Worker, files map[string]string) stacks.Stack {
	s.t.Helper()
	s.commit(files)
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	return s.stackIs(st.ID, stacks.StatusActive)
}

// push commits files and has them deployed up to the worker.
func (s *stand) push(p *puppet, files map[string]string) wire.Command {
	s.t.Helper()
	s.commit(files)
	s.look()
	return expect[wire.Command](p)
}

// newest waits until a stack's newest deployment is in a state.
func (s *stand) newest(id core.StackID, state stacks.DeploymentState) stacks.Deployment {
	s.t.Helper()
	s.eventually("the newest deployment is "+string(state), func() bool { return s.deployments(id)[0].State == state })
	return s.deployments(id)[0]
}

func TestARollbackPutsAKeptRevisionInPlaceWithTodaysSecrets(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.secret("TOKEN", "old")
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\nmount page\n", "web/page": "first",
		"web/wireops.yaml": `{"version": "wireops.v1", "timeout": "7m", "deploy": {"health_timeout": "11s"}}`})
	first := st.Commit
	p.succeed(s.push(p, map[string]string{"web/page": "second", "web/wireops.yaml": `{"version": "wireops.v1"}`}))
	s.eventually("revision 2 is in place", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	s.secret("TOKEN", "new")
	s.git.Fail(repositoryURL, errUnreachable) // a rollback needs no Git host
	if _, err := s.desk.Rollback(t.Context(), st.ID, 1, access.System); err != nil {
		t.Fatal(err)
	}
	cmd := expect[wire.Command](p)
	if d := cmd.Deploy; d.Revision != 1 || d.Commit != first || d.Secrets["TOKEN"] != "new" || d.HealthSeconds != 11 || cmd.Seconds < 6*60 || cmd.Seconds > 7*60 {
		t.Errorf("the command is %+v with %d s", d, cmd.Seconds)
	}
	if !strings.Contains(string(cmd.Deploy.Compose), "mount page") || len(cmd.Deploy.Content) != 1 {
		t.Errorf("the files are not those of revision 1: %s, %+v", cmd.Deploy.Compose, cmd.Deploy.Content)
	}
	p.send(wire.BlobWant{ID: cmd.ID, Digest: cmd.Deploy.Content[0].Files[0].Digest})
	if chunk := expect[wire.BlobChunk](p); string(chunk.Data) != "first" {
		t.Errorf("the content is %q", chunk.Data)
	}
	p.succeed(cmd)
	d := s.newest(st.ID, stacks.DeploymentSucceeded)
	if d.Revision != 1 || d.Commit != first || d.Aim.Revision != 1 || len(d.Phases) < 6 {
		t.Errorf("the deployment is %+v", d)
	}
	for _, phase := range d.Phases[:4] {
		if phase.Name == stacks.PhasePolicy { // the rules may have changed since
			if phase.State != stacks.PhaseSucceeded {
				t.Errorf("phase policy is %s: %s", phase.State, phase.Message)
			}
		} else if phase.State != stacks.PhaseSkipped || !strings.Contains(phase.Message, "revision 1") {
			t.Errorf("phase %s is %s: %s", phase.Name, phase.State, phase.Message)
		}
	}
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Revision != 1 || got.Commit != first || !got.OutOfSync || got.Quarantine.Tree == "" {
		t.Errorf("the stack is %+v", got)
	}
	// Polling leaves the branch's head alone until it changes.
	s.git.Fail(repositoryURL, nil)
	s.look()
	s.eventually("the look is done", func() bool { return s.repository().AskedAt.IsZero() })
	p.silent()
	if cmd := s.push(p, map[string]string{"web/page": "third"}); cmd.Deploy.Revision != 3 {
		t.Errorf("after a rollback a new commit is revision %d", cmd.Deploy.Revision)
	}
}

func TestARollbackToARevisionThatIsGoneFailsBeforeAnythingIsTouched(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n"})
	if err := s.hub.opts.Files.RemoveStack(t.Context(), st.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Rollback(t.Context(), st.ID, 1, access.System); err != nil {
		t.Fatal(err)
	}
	if d := s.newest(st.ID, stacks.DeploymentFailed); d.ErrorCode == "" || d.Error == "" || stacks.Began(d.Phases) {
		t.Errorf("the deployment is %+v", d)
	}
	p.silent()
}

func TestATransferMovesAStackOnceItRunsOnTheOtherWorker(t *testing.T) {
	s := newStand(t)
	old, other := s.enrol("old"), s.enrol("other")
	p, q := s.connect(old), s.connect(other)
	st := s.deployed(p, old, map[string]string{"web/compose.yaml": "service web\n"})
	s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"}) // not looked at: a transfer moves what runs
	if _, err := s.desk.Transfer(t.Context(), st.ID, other.ID, access.System); err != nil {
		t.Fatal(err)
	}
	cmd := expect[wire.Command](q)
	if cmd.Deploy.Revision != 1 || cmd.Deploy.Commit != st.Commit {
		t.Errorf("the command is %+v", cmd.Deploy)
	}
	p.silent()
	if got, _ := s.store.Stack(t.Context(), st.ID); got.Worker != old.ID {
		t.Error("the stack has moved before it runs in the new place")
	}
	q.succeed(cmd)
	down := expect[wire.Command](p)
	if down.Teardown == nil || down.Teardown.Stack != st.ID || down.Teardown.Volumes {
		t.Fatalf("the old worker is asked for %+v", down)
	}
	p.send(wire.Result{ID: down.ID, Attempt: down.Attempt, Status: wire.ResultSucceeded, Phases: []wire.PhaseEvent{}})
	expect[wire.ResultAck](p)
	if got, _ := s.store.Stack(t.Context(), st.ID); got.Worker != other.ID || got.Revision != 1 {
		t.Errorf("the stack is %+v", got)
	}
	if _, err := s.hub.opts.Files.Compose(st.ID, 1); err != nil {
		t.Errorf("the files went with the old place: %v", err)
	}
	// What polling wanted meanwhile goes to the new place.
	if next := expect[wire.Command](q); next.Deploy.Revision != 2 {
		t.Errorf("the next command is %+v", next.Deploy)
	}
	p.silent()
}

func TestATransferThatFailsLeavesTheOldPlaceAlone(t *testing.T) {
	s := newStand(t)
	old, other := s.enrol("old"), s.enrol("other")
	p, away := s.connect(old), s.connect(other)
	away.end.Close()
	s.eventually("the other worker is away", func() bool { return !s.hub.Online(other.ID) })
	st := s.deployed(p, old, map[string]string{"web/compose.yaml": "service web\n"})
	if _, err := s.desk.Transfer(t.Context(), st.ID, other.ID, access.System); err != nil {
		t.Fatal(err)
	}
	s.eventually("the transfer waits for the worker that is away", func() bool { return s.deployments(st.ID)[0].Revision == 1 })
	q := s.connect(other)
	q.fail(expect[wire.Command](q))
	if down := expect[wire.Command](q); down.Teardown == nil {
		t.Errorf("the new worker is asked for %+v", down)
	}
	p.silent()
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Worker != old.ID || got.Revision != 1 {
		t.Errorf("the stack is %+v", got)
	}
	if d := s.newest(st.ID, stacks.DeploymentFailed); d.Restore.Revision != 0 {
		t.Errorf("something is put back in a place that never was good: %+v", d.Restore)
	}
}

func TestATransferWithinOneEngineIsRefusedEvenLate(t *testing.T) {
	s := newStand(t)
	old, other := s.enrol("old"), s.enrol("other")
	p, q := s.connectAs(old, wire.Hello{Engine: "engine-1"}), s.connectAs(other, wire.Hello{Engine: "engine-2"})
	st := s.deployed(p, old, map[string]string{"web/compose.yaml": "service web\n"})
	running, err := s.desk.Redeploy(t.Context(), st.ID, stacks.DeployOptions{}, access.System)
	if err != nil {
		t.Fatal(err)
	}
	cmd := expect[wire.Command](p)
	if _, err := s.desk.Transfer(t.Context(), st.ID, other.ID, access.System); err != nil { // queued behind the one that runs
		t.Fatal(err)
	}
	q.end.Close()
	q = s.connectAs(other, wire.Hello{Engine: "engine-1"}) // it was given another engine
	p.succeed(cmd)
	d := s.newest(st.ID, stacks.DeploymentFailed)
	if d.ID == running.ID || d.ErrorCode != "worker.unusable" || !strings.Contains(d.Error, "same container engine") {
		t.Errorf("the transfer is %+v", d)
	}
	q.silent()
	p.silent()
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Worker != old.ID {
		t.Errorf("the stack is %+v", got)
	}
}

func TestDriftIsRepairedWithWhatRuns(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\n", "web/wireops.yaml": `{"version": "wireops.v1", "sync": {"self_heal": true}}`})
	s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"}) // not looked at yet: a repair deploys nothing new
	p.send(wire.Observed{Complete: true, Stacks: []wire.StackObserved{}})
	drifted := s.stackIs(st.ID, stacks.StatusDegraded)
	if !drifted.Drifted || drifted.HealAt.IsZero() {
		t.Fatalf("the stack is %+v", drifted)
	}
	s.ahead.Add(int64(drifted.HealAt.Sub(s.now()) + time.Second))
	s.hub.Nudge()
	cmd := expect[wire.Command](p)
	if cmd.Deploy.Revision != 1 || cmd.Deploy.Commit != st.Commit {
		t.Errorf("the repair is %+v", cmd.Deploy)
	}
	p.succeed(cmd)
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Drifted {
		t.Errorf("the stack is %+v", got)
	}
	all := s.deployments(st.ID) // newest first; by now the commit may be the newest, for the clock went ahead
	if d := all[len(all)-2]; d.Trigger != stacks.TriggerDrift {
		t.Errorf("the trigger is %s", d.Trigger)
	}
}
