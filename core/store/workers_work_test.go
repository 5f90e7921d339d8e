package store_test

import (
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/stacks"
)

// A worker is barred whatever its rows are like, and what waited for it ends, saying what is known.
func TestABadRowDoesNotKeepAWorkerFromBeingBarred(t *testing.T) {
	for name, spoil := range map[string]string{
		"a command's body":       `UPDATE commands SET body = '{' WHERE stack_id = ?`,
		"a deployment's options": `UPDATE deployments SET options = '{' WHERE stack_id = ?`,
		"a deployment's phases":  `UPDATE deployments SET phases = 'x' WHERE stack_id = ?`,
		"a stack's drift":        `UPDATE stacks SET drift = '[' WHERE id = ?`,
		"a revision's manifest":  `UPDATE revisions SET manifest = '[]' WHERE stack_id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			bad, good := y.add("a-bad"), y.add("b-good")
			d, other := y.start(y.queue(wish(bad))), y.start(y.queue(wish(good)))
			y.send(d, "c1")
			y.send(other, "c1")
			y.exec(t, spoil, bad)
			_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
			y.must(err)

			if n := y.count(t, `SELECT count(*) FROM commands WHERE ended_at = 0`); n != 0 {
				t.Errorf("%d commands are open", n)
			}
			if d := y.deployment(other.ID); d.State != stacks.DeploymentFailed || d.ErrorCode != "worker.gone" || !strings.Contains(d.Error, "before it began") {
				t.Errorf("the other deployment is %+v", d)
			}
			y.exec(t, `UPDATE deployments SET options = '{}', phases = '[]' WHERE id = ?`, d.ID) // put right by hand
			y.exec(t, `UPDATE stacks SET drift = '[]' WHERE id = ?`, bad)
			d = y.deployment(d.ID)
			if d.ErrorCode != "worker.gone" || d.FinishedAt.IsZero() || !strings.Contains(d.Error, "web-1 was revoked") {
				t.Errorf("the deployment is %+v", d)
			}
			if unsent := strings.HasPrefix(d.Error, "worker web-1 was revoked before it began"); unsent != (d.State == stacks.DeploymentFailed) || !unsent && d.State != stacks.DeploymentLost {
				t.Errorf("it is %s, and says %q", d.State, d.Error)
			}
			events, err := y.DeploymentEvents(t.Context(), d.ID)
			y.must(err)
			y.must(coretest.LegalPath(d, events))
			y.is(bad, stacks.StatusError, "web-1 was revoked")
		})
	}
}

// What a teardown that cannot be read was for is told by its stack.
func TestATeardownThatCannotBeReadEndsWithItsWorker(t *testing.T) {
	y := openYard(t)
	doomed, moved := y.deployed("a-doomed", "c1"), y.deployed("b-moved", "c1")
	if gone, err := y.DeleteStack(t.Context(), doomed, true, false, someone); err != nil || gone {
		t.Fatalf("delete with teardown: gone %v, %v", gone, err)
	}
	d := y.start(y.queue(transfer(moved, y.other.ID)))
	y.resend(d, 1, y.other.ID)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if n := y.count(t, `SELECT count(*) FROM commands WHERE kind = 'teardown' AND ended_at = 0`); n != 2 {
		t.Fatalf("%d teardowns are open", n)
	}
	y.exec(t, `UPDATE commands SET body = '' WHERE ended_at = 0`)
	y.tick()
	_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
	y.must(err)
	if n := y.count(t, `SELECT count(*) FROM commands WHERE ended_at = 0`); n != 0 {
		t.Errorf("%d commands are open", n)
	}
	if st := y.is(doomed, stacks.StatusError, "teardown failed: worker web-1 was revoked"); st.Deleting {
		t.Error("the stack that was to go cannot be deleted again")
	}
	y.is(moved, stacks.StatusActive, "")
	reasons := y.reasons(moved)
	if last := reasons[len(reasons)-1]; !strings.Contains(last, "could not be taken down: worker web-1 was revoked. Remove its containers") {
		t.Errorf("decisions are %q", reasons)
	}
}
