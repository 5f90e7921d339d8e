package store_test

import (
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

func rollback(id core.StackID, revision int) stacks.Ask {
	return stacks.Ask{Stack: id, Trigger: stacks.TriggerRollback, Actor: "ada@example.org", Reason: "rollback", Aim: stacks.Aim{Revision: revision}}
}

func transfer(id core.StackID, worker core.WorkerID) stacks.Ask {
	return stacks.Ask{Stack: id, Trigger: stacks.TriggerTransfer, Actor: "ada@example.org", Reason: "transfer", Aim: stacks.Aim{Worker: worker}}
}

// manifest replaces the manifest of a revision.
func (y *yard) manifest(id core.StackID, revision int, m stacks.Manifest) {
	y.t.Helper()
	y.exec(y.t, `UPDATE revisions SET manifest = ? WHERE stack_id = ? AND number = ?`, jsonOf(y.t, m), id, revision)
}

// resend dispatches a running deployment with a revision that is stored already, to a worker.
func (y *yard) resend(d stacks.Deployment, revision int, worker core.WorkerID) stacks.Command {
	y.t.Helper()
	rev, err := y.Revision(y.t.Context(), d.Stack, revision)
	y.must(err)
	cmd := y.command(d)
	cmd.Worker = worker
	number, err := y.Dispatch(y.t.Context(), rev, cmd, stacks.Progress{Deployment: d.ID, Commit: rev.Commit, Tree: rev.Tree, Worker: worker}, nil)
	y.must(err)
	if number != revision {
		y.t.Fatalf("dispatched revision %d, want %d", number, revision)
	}
	cmd.Body.Revision = number
	return cmd
}

func TestARollbackHoldsTheHeadBack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.deploy(id, "c2")
	d := y.queue(rollback(id, 1))
	if d.Aim != (stacks.Aim{Revision: 1}) || y.deployment(d.ID).Aim != d.Aim {
		t.Errorf("the deployment aims at %+v", d.Aim)
	}
	d = y.start(d)
	y.resend(d, 1, y.w.ID)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	st := y.is(id, stacks.StatusActive, "")
	if st.Revision != 1 || st.Commit != "c1" || !st.OutOfSync || st.SeenTree != "tree of c2" || st.Quarantine.Tree != "tree of c2" || st.Quarantine.Revision != 2 {
		t.Errorf("the stack is %+v", st)
	}
	if n := y.count(t, `SELECT count(*) FROM revisions`); n != 2 {
		t.Errorf("there are %d revisions; want the two that were there", n)
	}
}

func TestARollbackToWhatIsNotKept(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	rows := y.rows()
	_, err := y.QueueDeployment(t.Context(), rollback(id, 7), someone)
	y.refused("revision 7", err, "revision.not_found")
	_, err = y.QueueDeployment(t.Context(), rollback("stk_none", 1), someone)
	y.refused("no stack", err, "stack.not_found")
	if y.rows() != rows {
		t.Error("something was written")
	}
}

func TestAFailedRollbackIsTriedAgain(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.deploy(id, "c2")
	d := y.start(y.queue(rollback(id, 1)))
	y.end(d.ID, stacks.DeploymentFailed)
	st := y.stack(id)
	if st.Retry.Aim != (stacks.Aim{Revision: 1}) || st.RetryAt.IsZero() {
		t.Fatalf("the stack is %+v", st)
	}
	y.at = st.RetryAt
	if n, err := y.QueueRetries(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d are tried again, %v", n, err)
	}
	all := y.history(id)
	if last := all[len(all)-1]; last.Aim.Revision != 1 || last.Trigger != stacks.TriggerRollback || last.State != stacks.DeploymentQueued {
		t.Errorf("what is tried again is %+v", last)
	}
}

func TestANewerWishTakesAQueuedOnesPlace(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.deploy(id, "c2")
	sync := y.queue(wish(id))
	back := y.queue(rollback(id, 1))
	if sync.ID == back.ID || y.deployment(sync.ID).State != stacks.DeploymentSuperseded {
		t.Errorf("the sync is %+v", y.deployment(sync.ID))
	}
	if again := y.queue(rollback(id, 1)); again.ID != back.ID {
		t.Error("the same wish made another deployment")
	}
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c3")})) // polling waits for what a person wanted
	st := y.stack(id)
	if y.deployment(back.ID).State != stacks.DeploymentQueued || st.SeenTree == "tree of c3" {
		t.Errorf("polling took its place; seen is %q", st.SeenTree)
	}
	y.exec(t, `UPDATE repositories SET asked_at = 0`)
	back = y.start(back)
	y.resend(back, 1, y.w.ID)
	y.end(back.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if n := y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0`); n != 1 {
		t.Error("the repository is not looked at again")
	}
}

func TestATransferMovesTheStack(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(transfer(id, y.other.ID)))
	y.resend(d, 1, y.other.ID)
	if st := y.stack(id); st.Worker != y.w.ID {
		t.Error("it moved before it was verified")
	}
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	st := y.is(id, stacks.StatusActive, "")
	if st.Worker != y.other.ID || st.Revision != 1 || st.OutOfSync {
		t.Errorf("the stack is %+v", st)
	}
	down := y.openCommand(y.w.ID)
	if down.Kind != stacks.CommandTeardown || !down.Body.Keep || down.Body.Volumes || down.Body.Project != "web" {
		t.Errorf("the command is %+v", down)
	}
	_, err := y.DeleteStack(t.Context(), id, true, false, someone)
	y.refused("what is left on the other worker", err, "stack.busy")
	y.must(y.EndTeardown(t.Context(), down, "", y.tick()))
	if st := y.is(id, stacks.StatusActive, ""); st.Worker != y.other.ID {
		t.Errorf("the stack is %+v", st)
	}
	if reasons := y.reasons(id); !strings.Contains(reasons[len(reasons)-1], "was taken down") {
		t.Errorf("decisions are %q", reasons)
	}
	y.refused("again", y.EndTeardown(t.Context(), down, "", y.tick()), "command.not_found")
}

func TestATransferThatFailsLeavesTheOldPlaceAlone(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(transfer(id, y.other.ID)))
	y.resend(d, 1, y.other.ID)
	if !y.end(d.ID, stacks.DeploymentFailed, failing, observed()) {
		t.Fatal("it did not end: there is nothing to put back")
	}
	st := y.is(id, stacks.StatusActive, "")
	if st.Worker != y.w.ID || st.Revision != 1 || !st.RetryAt.IsZero() || len(st.Containers) != 1 {
		t.Errorf("the stack is %+v", st)
	}
	if down := y.openCommand(y.other.ID); down.Kind != stacks.CommandTeardown || !down.Body.Keep {
		t.Errorf("the command is %+v", down)
	}
	if open, err := y.OpenCommands(t.Context(), y.w.ID); err != nil || len(open) != 0 {
		t.Errorf("the old worker is asked for %+v, %v", open, err)
	}
}

func TestATransferBeforeAnythingWasSentLeavesNothing(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(transfer(id, y.other.ID)))
	y.end(d.ID, stacks.DeploymentFailed)
	y.is(id, stacks.StatusActive, "")
	if open, err := y.OpenCommands(t.Context(), y.other.ID); err != nil || len(open) != 0 {
		t.Errorf("the new worker is asked for %+v, %v", open, err)
	}
}

func TestTransfersThatCannotBe(t *testing.T) {
	y := openYard(t)
	id, fresh := y.deployed("web", "c1"), y.add("fresh")
	y.exec(t, `UPDATE workers SET engine = 'one' WHERE id IN (?, ?)`, y.w.ID, y.other.ID)
	rows := y.rows()
	for name, ask := range map[string]stacks.Ask{"one engine": transfer(id, y.other.ID), "where it is": transfer(id, y.w.ID), "not deployed": transfer(fresh, y.other.ID)} {
		_, err := y.QueueDeployment(t.Context(), ask, someone)
		y.refused(name, err, "stack.transfer")
	}
	_, err := y.QueueDeployment(t.Context(), transfer(id, "wrk_none"), someone)
	y.refused("no such worker", err, "input.reference")
	if y.rows() != rows {
		t.Error("something was written")
	}
}

// An engine may turn out to be shared only after the transfer was asked for.
func TestASharedEngineIsNeverTakenDown(t *testing.T) {
	for _, state := range []stacks.DeploymentState{stacks.DeploymentSucceeded, stacks.DeploymentFailed} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d := y.start(y.queue(transfer(id, y.other.ID)))
		y.resend(d, 1, y.other.ID)
		y.exec(t, `UPDATE workers SET engine = 'one' WHERE id IN (?, ?)`, y.w.ID, y.other.ID)
		y.end(d.ID, state, observed(healthy...))
		for _, worker := range []core.WorkerID{y.w.ID, y.other.ID} {
			open, err := y.OpenCommands(t.Context(), worker)
			if slices.ContainsFunc(open, func(c stacks.Command) bool { return c.Kind == stacks.CommandTeardown }) || err != nil {
				t.Errorf("%s: %+v, %v", state, open, err)
			}
		}
	}
}
