package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
)

func TestACommitBecomesADeployment(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	first := s.commit(map[string]string{"web/compose.yaml": "service web\nmount page.html\n", "web/page.html": "hello", "other/compose.yaml": "service other\n"})
	st := s.add("web", "web", w.ID, true)
	cmd := expect[wire.Command](p)
	if cmd.Deploy == nil || cmd.Deploy.Commit != first || cmd.Deploy.Revision != 1 || cmd.Deploy.Project != "web" || cmd.Epoch != p.welcome.Epoch {
		t.Fatalf("the command is %+v", cmd)
	}
	p.send(wire.BlobWant{ID: cmd.ID, Digest: cmd.Deploy.Content[0].Files[0].Digest})
	if chunk := expect[wire.BlobChunk](p); string(chunk.Data) != "hello" || !chunk.Last {
		t.Errorf("the content arrived as %q, last %v", chunk.Data, chunk.Last)
	}
	p.succeed(cmd)
	st = s.stackIs(st.ID, stacks.StatusActive)
	if st.Commit != first || st.Revision != 1 || st.OutOfSync || len(st.Containers) != 1 {
		t.Errorf("the stack is %+v", st)
	}
	d := s.deployments(st.ID)[0]
	if d.State != stacks.DeploymentSucceeded || d.Commit != first || d.FinishedAt.IsZero() {
		t.Errorf("the deployment is %+v", d)
	}
	for _, phase := range []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseLint, stacks.PhaseRender, stacks.PhasePolicy, stacks.PhaseSecrets, stacks.PhaseDispatch, stacks.PhaseApply} {
		if !hasPhase(d.Phases, phase) {
			t.Errorf("phase %s is missing: %+v", phase, d.Phases)
		}
	}
	if !strings.Contains(s.log(d.ID), "web: started") {
		t.Errorf("the worker's line is not in the log:\n%s", s.log(d.ID))
	}

	// A commit that changes another folder deploys nothing; one that changes this folder does.
	s.commit(map[string]string{"other/compose.yaml": "service other\nservice more\n"})
	s.look()
	s.eventually("the decision not to deploy is recorded", func() bool { return strings.HasSuffix(s.lastDecision(st.ID).Reason, "at the last look") })
	p.silent()
	second := s.commit(map[string]string{"web/page.html": "hello again"})
	s.look()
	cmd = expect[wire.Command](p)
	if cmd.Deploy.Commit != second || cmd.Deploy.Revision != 2 {
		t.Errorf("the second command is of commit %s, revision %d", cmd.Deploy.Commit, cmd.Deploy.Revision)
	}
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
	if decision := s.lastDecision(st.ID); !decision.Deployed || decision.Trigger != stacks.TriggerPoll {
		t.Errorf("the decision is %+v", decision)
	}
}

func hasPhase(phases []stacks.Phase, name stacks.PhaseName) bool {
	for _, p := range phases {
		if p.Name == name {
			return p.State == stacks.PhaseSucceeded || p.State == stacks.PhaseSkipped
		}
	}
	return false
}

func (s *stand) lastDecision(id core.StackID) stacks.Decision {
	s.t.Helper()
	list, err := s.store.Decisions(s.t.Context(), id, core.Page{Limit: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(list.Items) == 0 {
		return stacks.Decision{}
	}
	return list.Items[0]
}

func TestTheSameInputsAreTheSameRevision(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n"})
	s.secret("TOKEN", "a")
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	sync := func() wire.Command {
		if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
			t.Fatal(err)
		}
		cmd := expect[wire.Command](p)
		p.succeed(cmd)
		s.stackIs(st.ID, stacks.StatusActive)
		return cmd
	}
	if cmd := sync(); cmd.Deploy.Revision != 1 || cmd.Deploy.Secrets["TOKEN"] != "a" {
		t.Errorf("nothing changed, yet it is revision %d", cmd.Deploy.Revision)
	}
	s.secret("TOKEN", "b")
	if cmd := sync(); cmd.Deploy.Revision != 2 || cmd.Deploy.Secrets["TOKEN"] != "b" {
		t.Errorf("a secret changed, yet it is revision %d", cmd.Deploy.Revision)
	}
}

func TestADeploymentWaitsForAWorkerThatIsAway(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	s.eventually("the deployment says what it waits for", func() bool {
		d := s.deployments(st.ID)[0]
		return len(d.Phases) > 0 && strings.Contains(d.Phases[len(d.Phases)-1].Message, "offline")
	})
	s.stackIs(st.ID, stacks.StatusSyncing)
	p := s.connect(w)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
}

func TestAStackWithTagsWaitsForAWorkerThatFits(t *testing.T) {
	s := newStand(t)
	s.connect(s.enrol("plain"))
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st, _, err := s.desk.Create(t.Context(), stacks.Draft{Name: "web", Repository: s.repo, Path: "web", WorkerTags: []string{"gpu"}, AutoSync: true}, access.System)
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("the deployment says what it waits for", func() bool {
		d := s.deployments(st.ID)[0]
		return len(d.Phases) > 0 && strings.Contains(d.Phases[len(d.Phases)-1].Message, "gpu")
	})
	fits := s.enrol("big", "gpu")
	p := s.connect(fits)
	p.succeed(expect[wire.Command](p))
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Worker != fits.ID {
		t.Errorf("it was placed on %s, want %s", got.Worker, fits.ID)
	}
}

func TestACommandIsSentAgainUntilItsResultIsStored(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	p := s.connect(w)
	st := s.add("web", "web", w.ID, true)
	cmd := expect[wire.Command](p)
	p.leave()

	// Never received: sent again under the same id and attempt.
	p = s.connect(w)
	again := expect[wire.Command](p)
	if again.ID != cmd.ID || again.Attempt != cmd.Attempt {
		t.Fatalf("sent %s/%d, then %s/%d", cmd.ID, cmd.Attempt, again.ID, again.Attempt)
	}
	p.send(wire.Accepted{ID: again.ID, Attempt: again.Attempt})
	p.leave()

	// The hub restarts; the worker has ended the command meanwhile: its result is asked for, the
	// command is not sent again.
	s.restart()
	p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
	if len(p.welcome.Settle) != 1 || p.welcome.Settle[0].Do != wire.SettleRun {
		t.Fatalf("settled as %+v, want run", p.welcome.Settle)
	}
	p.silent()
	p.send(resultOf(cmd, wire.ResultSucceeded))
	expect[wire.ResultAck](p)
	s.stackIs(st.ID, stacks.StatusActive)

	// The acknowledgement was lost: the same result again changes nothing and is acknowledged.
	p.send(resultOf(cmd, wire.ResultFailed))
	expect[wire.ResultAck](p)
	s.stackIs(st.ID, stacks.StatusActive)
	if n := len(s.deployments(st.ID)); n != 1 {
		t.Errorf("%d deployments, want 1", n)
	}
	p.leave()
	p = s.connect(w, wire.JournalEntry{ID: cmd.ID, Attempt: cmd.Attempt, State: wire.JournalResult})
	if p.welcome.Settle[0].Do != wire.SettleAcknowledged {
		t.Errorf("settled as %+v, want acknowledged", p.welcome.Settle)
	}
}

func TestAFailureSaysWhyAndTheNextCommitHeals(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	p.send(resultOf(cmd, wire.ResultFailed))
	expect[wire.ResultAck](p)
	if got := s.stackIs(st.ID, stacks.StatusError); got.Error != "web exited with code 3" || got.Revision != 0 || !got.OutOfSync {
		t.Errorf("the stack is %+v", got)
	}
	s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.look()
	p.succeed(expect[wire.Command](p))
	if got := s.stackIs(st.ID, stacks.StatusActive); got.Error != "" {
		t.Errorf("the error stays: %q", got.Error)
	}
}

func TestO1AFailureIsTriedAgainWithoutAClick(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	for range 3 {
		cmd := expect[wire.Command](p)
		p.send(resultOf(cmd, wire.ResultFailed))
		expect[wire.ResultAck](p)
		failed := s.stackIs(st.ID, stacks.StatusError)
		if failed.RetryAt.IsZero() {
			t.Fatal("nothing says when it is tried again")
		}
		p.silent()
		s.ahead.Add(int64(failed.RetryAt.Sub(s.now()) + time.Second))
		s.hub.Nudge()
	}
	p.succeed(expect[wire.Command](p))
	if healed := s.stackIs(st.ID, stacks.StatusActive); healed.Retries != 0 || !healed.RetryAt.IsZero() {
		t.Errorf("after success the stack is %+v", healed)
	}
}

func TestAWishDuringADeploymentIsAnsweredWithTheOneThatCoversIt(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	wish, err := s.desk.Redeploy(t.Context(), st.ID, stacks.DeployOptions{RecreateVolumes: true}, access.System)
	if err != nil || wish.ID == cmd.Deploy.Deployment {
		t.Fatalf("the wish is answered with %s, %v; the one that runs is %s", wish.ID, err, cmd.Deploy.Deployment)
	}
	p.succeed(cmd)
	follower := expect[wire.Command](p)
	if follower.Deploy.Deployment != wish.ID || !follower.Deploy.RecreateVolumes {
		t.Errorf("the follower is %+v", follower.Deploy)
	}
	// Another wish while volumes are being recreated does not recreate them twice.
	if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	p.succeed(follower)
	if last := expect[wire.Command](p); last.Deploy.RecreateVolumes {
		t.Error("a plain sync recreates the volumes again")
	}
}

func TestACommandThatCannotBeSentDoesNotStopTheOthers(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	s.commit(map[string]string{"a/compose.yaml": "service web\nsecret TOKEN\n", "b/compose.yaml": "service web\n"})
	s.secret("TOKEN", "short")
	bad := s.add("a", "a", w.ID, true)
	s.eventually("the command waits", func() bool { return s.deployments(bad.ID)[0].Revision == 1 })
	s.secret("TOKEN", strings.Repeat("x", wire.MaxSecret+1))
	good := s.add("b", "b", w.ID, true)
	s.eventually("the other command waits", func() bool { return s.deployments(good.ID)[0].Revision == 1 })
	p := s.connect(w)
	p.succeed(expect[wire.Command](p))
	s.stackIs(good.ID, stacks.StatusActive)
	s.stackIs(bad.ID, stacks.StatusError)
}

func TestARenamedStackIsRenderedAnew(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, false)
	name := "site"
	if _, err := s.desk.Update(t.Context(), st.ID, stacks.Change{Name: &name}, access.System); err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Sync(t.Context(), st.ID, access.System); err != nil {
		t.Fatal(err)
	}
	cmd := expect[wire.Command](p)
	if cmd.Deploy.Project != "site" {
		t.Errorf("the project is %s", cmd.Deploy.Project)
	}
	p.succeed(cmd)
	if _, err := s.desk.Update(t.Context(), st.ID, stacks.Change{Name: &st.Name}, access.System); !fault.Is(err, fault.Conflict) {
		t.Errorf("renaming a deployed stack: %v", err)
	}
}

func TestAWorkerIsGivenNoMoreThanItQueues(t *testing.T) {
	s := newStand(t)
	w := s.enrol("one")
	files := map[string]string{}
	for i := range 2 * maxInFlight {
		files[fmt.Sprintf("s%02d/compose.yaml", i)] = "service web\n"
	}
	s.commit(files)
	for i := range 2 * maxInFlight {
		s.add(fmt.Sprintf("s%02d", i), fmt.Sprintf("s%02d", i), w.ID, true)
	}
	s.eventually("all commands wait", func() bool {
		open, err := s.store.OpenCommands(t.Context(), w.ID)
		return err == nil && len(open) == 2*maxInFlight
	})
	p := s.connect(w)
	var given []wire.Command
	for range maxInFlight {
		given = append(given, expect[wire.Command](p))
	}
	p.silent()
	p.send(resultOf(given[0], wire.ResultSucceeded))
	expect[wire.ResultAck](p)
	expect[wire.Command](p)
	p.silent()
}

func TestBadContentTouchesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		files  map[string]string
		folder string
		code   string
	}{
		"a missing folder":       {map[string]string{"x": "y"}, "web", "stack.folder_missing"},
		"a missing Compose file": {map[string]string{"web/x": "y"}, "web", "compose.file_missing"},
		"a missing secret":       {map[string]string{"web/compose.yaml": "service web\nsecret GONE\n"}, "web", "secret.unresolved"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			w, p := s.online()
			s.commit(test.files)
			st := s.add("web", test.folder, w.ID, true)
			s.stackIs(st.ID, stacks.StatusError)
			d := s.deployments(st.ID)[0]
			if d.State != stacks.DeploymentFailed || d.ErrorCode != test.code || d.Error == "" {
				t.Errorf("the deployment is %s, %s: %s", d.State, d.ErrorCode, d.Error)
			}
			p.silent()
		})
	}
}

func TestAnUnreachableRepositoryIsShownAndHeals(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	s.git.Fail(repositoryURL, errUnreachable)
	s.look()
	s.eventually("the repository shows the error", func() bool { return s.repository().ErrorCode == "git.unreachable" })
	s.stackIs(st.ID, stacks.StatusActive)
	s.git.Fail(repositoryURL, nil)
	s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.look()
	p.succeed(expect[wire.Command](p))
	s.eventually("the error is gone", func() bool { return s.repository().ErrorCode == "" })
}

func TestAsksWhileADeploymentRunsAreCoveredByOneFollower(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	for range 5 {
		d, err := s.desk.Sync(t.Context(), st.ID, access.System)
		if err != nil || d.State.Ended() {
			t.Fatalf("the ask was answered with %+v, %v", d, err)
		}
	}
	p.succeed(cmd)
	p.succeed(expect[wire.Command](p))
	s.eventually("two deployments have ended", func() bool {
		all := s.deployments(st.ID)
		return len(all) == 2 && all[0].State == stacks.DeploymentSucceeded && all[1].State == stacks.DeploymentSucceeded
	})
	p.silent()
}

func TestAFirstDeploymentCoversTheLookAtItsCommit(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	// As if the look had judged the stack while its deployment was still fetching.
	ask := stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerPoll, Actor: "system", Commit: cmd.Deploy.Commit, Reason: "first look"}
	if err := s.store.QueueAll(t.Context(), []stacks.Ask{ask}); err != nil {
		t.Fatal(err)
	}
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
	p.silent()
	if n := len(s.deployments(st.ID)); n != 1 {
		t.Errorf("%d deployments of one commit", n)
	}
}

func TestCancel(t *testing.T) {
	t.Run("while the worker is away it ends at once", func(t *testing.T) {
		s := newStand(t)
		w := s.enrol("one")
		s.commit(map[string]string{"web/compose.yaml": "service web\n"})
		st := s.add("web", "web", w.ID, true)
		s.eventually("the command waits", func() bool { return s.deployments(st.ID)[0].Revision == 1 })
		if _, err := s.desk.Cancel(t.Context(), s.deployments(st.ID)[0].ID, access.System); err != nil {
			t.Fatal(err)
		}
		s.eventually("it is cancelled", func() bool { return s.deployments(st.ID)[0].State == stacks.DeploymentCancelled })
		s.connect(w).silent()
	})
	t.Run("at the worker it ends with the worker's word", func(t *testing.T) {
		s := newStand(t)
		w, p := s.online()
		st, cmd := s.sent(w, p)
		p.send(wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt})
		if _, err := s.desk.Cancel(t.Context(), s.deployments(st.ID)[0].ID, access.System); err != nil {
			t.Fatal(err)
		}
		if c := expect[wire.Cancel](p); c.ID != cmd.ID {
			t.Errorf("cancelled %s, want %s", c.ID, cmd.ID)
		}
		p.send(resultOf(cmd, wire.ResultCancelled))
		s.eventually("it is cancelled", func() bool { return s.deployments(st.ID)[0].State == stacks.DeploymentCancelled })
	})
}

func TestW1AWorkerChangesOnlyItsOwnCommands(t *testing.T) {
	s := newStand(t)
	mine, other := s.enrol("mine"), s.enrol("other")
	p, q := s.connect(mine), s.connect(other)
	s.commit(map[string]string{"web/compose.yaml": "service web\nmount a\n", "web/a": "secret content"})
	st := s.add("web", "web", mine.ID, true)
	cmd := expect[wire.Command](p)
	q.send(resultOf(cmd, wire.ResultFailed))
	expect[wire.ResultAck](q)
	q.send(wire.BlobWant{ID: cmd.ID, Digest: cmd.Deploy.Content[0].Files[0].Digest})
	if chunk := expect[wire.BlobChunk](q); chunk.Error == "" || len(chunk.Data) > 0 {
		t.Errorf("another worker's content was sent: %+v", chunk)
	}
	q.send(wire.Observed{Complete: true, Stacks: []wire.StackObserved{{Stack: st.ID, Containers: []stacks.ContainerState{{Service: "web", State: "exited", ExitCode: 1}}}}})
	for range maxStrikes + 2 {
		if q.link.Send(t.Context(), wire.Accepted{ID: cmd.ID, Attempt: 1}) != nil {
			break
		}
	}
	q.isOver()
	if d := s.deployments(st.ID)[0]; d.State != stacks.DeploymentRunning {
		t.Errorf("another worker ended the deployment: %s", d.State)
	}
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
}

func TestTheNewerOfTwoConnectionsWins(t *testing.T) {
	s := newStand(t)
	w, old := s.online()
	p := s.connect(w)
	if p.welcome.Epoch <= old.welcome.Epoch {
		t.Errorf("epochs %d, then %d", old.welcome.Epoch, p.welcome.Epoch)
	}
	old.isOver()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	online, err := s.store.Worker(t.Context(), w.ID)
	if err != nil || !online.Online {
		t.Errorf("the worker is shown as away: %+v, %v", online, err)
	}
}

func TestWhatAWorkerSeesDecidesTheStatus(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	st, cmd := s.sent(w, p)
	p.succeed(cmd)
	s.stackIs(st.ID, stacks.StatusActive)
	seen := func(containers ...stacks.ContainerState) wire.Observed {
		return wire.Observed{Stacks: []wire.StackObserved{{Stack: st.ID, Revision: 1, Containers: containers}}}
	}
	p.send(seen(stacks.ContainerState{Service: "web", State: "exited", ExitCode: 137}))
	if got := s.stackIs(st.ID, stacks.StatusDegraded); !strings.Contains(got.Error, "137") {
		t.Errorf("the reason is %q", got.Error)
	}
	p.send(seen(stacks.ContainerState{Service: "web", State: "running"}))
	s.stackIs(st.ID, stacks.StatusActive)
	p.send(wire.Observed{Complete: true, Stacks: []wire.StackObserved{}})
	s.stackIs(st.ID, stacks.StatusDegraded)
}

func TestTeardownRemovesTheStackOnceItIsDone(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	gone, err := s.desk.Delete(t.Context(), st.ID, true, false, access.System)
	if err != nil || gone {
		t.Fatalf("gone %v, %v", gone, err)
	}
	cmd := expect[wire.Command](p)
	if cmd.Teardown == nil || cmd.Teardown.Project != "web" || cmd.Teardown.Volumes {
		t.Fatalf("the command is %+v", cmd)
	}
	p.send(wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: wire.ResultFailed, Error: "engine away", Phases: []wire.PhaseEvent{}})
	expect[wire.ResultAck](p)
	if got := s.stackIs(st.ID, stacks.StatusError); got.Deleting || !strings.Contains(got.Error, "engine away") {
		t.Errorf("after a failed teardown the stack is %+v", got)
	}
	if _, err := s.desk.Delete(t.Context(), st.ID, true, false, access.System); err != nil {
		t.Fatal(err)
	}
	cmd = expect[wire.Command](p)
	p.send(wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: wire.ResultSucceeded, Phases: []wire.PhaseEvent{}})
	expect[wire.ResultAck](p)
	s.eventually("the row is gone", func() bool { _, err := s.store.Stack(t.Context(), st.ID); return err != nil })
}

func TestO7PollingThatFindsNothingNewWritesNothing(t *testing.T) {
	s := newStandThatScans(t, 10*time.Millisecond)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	st := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(st.ID, stacks.StatusActive)
	wrote := s.watchWrites()
	s.eventually("everything is stored", func() bool {
		heads, _ := s.git.Calls()
		s.polls(heads + 2)
		return !wrote()
	})
	heads, fetches := s.git.Calls()
	s.polls(heads + 3)
	if wrote() {
		t.Error("polls that found nothing new wrote to the database")
	}
	if _, after := s.git.Calls(); after != fetches {
		t.Errorf("%d fetches though nothing changed", after-fetches)
	}
}

// polls waits until the remote was asked for its head so many times.
func (s *stand) polls(n int) {
	s.t.Helper()
	s.eventually("the repository is polled", func() bool {
		s.hub.Nudge()
		heads, _ := s.git.Calls()
		return heads >= n
	})
}

func TestO6AnUnrelatedCommitCostsOneFetchAndNoRender(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	files := map[string]string{}
	for i := range manyStacks {
		files[fmt.Sprintf("stack-%02d/compose.yaml", i)] = "service web\n"
	}
	s.commit(files)
	for i := range manyStacks {
		s.add(fmt.Sprintf("stack-%02d", i), fmt.Sprintf("stack-%02d", i), w.ID, true)
	}
	for acknowledged := 0; acknowledged < manyStacks; { // commands and acknowledgements come as they are ready
		select {
		case msg := <-p.messages:
			switch m := msg.(type) {
			case wire.Command:
				p.send(resultOf(m, wire.ResultSucceeded))
			case wire.ResultAck:
				acknowledged++
			}
		case <-time.After(patience):
			t.Fatalf("only %d of %d commands came and were acknowledged", acknowledged, manyStacks)
		}
	}
	s.eventually("all stacks are active", func() bool {
		counts, err := s.store.StackCounts(t.Context())
		return err == nil && counts[stacks.StatusActive] == manyStacks
	})
	_, before := s.git.Calls()
	s.commit(map[string]string{"README.md": "words"})
	s.look()
	s.eventually("the look is done", func() bool { return s.repository().AskedAt.IsZero() })
	if _, after := s.git.Calls(); after-before != 1 {
		t.Errorf("%d fetches, want 1", after-before)
	}
	p.silent()
}
