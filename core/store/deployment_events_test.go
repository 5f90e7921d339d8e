package store_test

import (
	"fmt"
	"slices"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/stacks"
	"berth/core/store"
)

// path returns the events of a deployment in words, and checks that they lead to its state.
func (y *yard) path(id core.DeploymentID) (lines []string) {
	y.t.Helper()
	events, err := y.DeploymentEvents(y.t.Context(), id)
	y.must(err)
	y.must(coretest.LegalPath(y.deployment(id), events))
	for _, e := range events {
		line := fmt.Sprintf("%s: %s", e.To, e.Cause)
		if e.Actor != "" {
			line += " by " + e.Actor
		}
		lines = append(lines, line)
	}
	return lines
}

const (
	askedByAda = "queued: asked by ada@example.org"
	turn       = "running: its turn has come"
)

func TestEachTransitionLeavesOneEvent(t *testing.T) {
	for name, c := range map[string]struct {
		play func(y *yard) core.DeploymentID
		want []string
	}{
		"it is queued":     {func(y *yard) core.DeploymentID { return y.queue(wish(y.add("web"))).ID }, []string{askedByAda}},
		"polling wants it": {func(y *yard) core.DeploymentID { return y.queue(polled(y.add("web"), "c1")).ID }, []string{"queued: changed"}},
		"a second wish joins it": {func(y *yard) core.DeploymentID {
			d := y.queue(wish(y.add("web")))
			return y.queue(wish(d.Stack)).ID
		}, []string{askedByAda}},
		"it succeeds": {func(y *yard) core.DeploymentID { return y.deploy(y.add("web"), "c1").ID },
			[]string{askedByAda, turn, "succeeded: what was put in place runs as it should"}},
		"it fails": {func(y *yard) core.DeploymentID { return y.past("web") }, []string{askedByAda, turn, "failed: engine.apply"}},
		"it is lost": {func(y *yard) core.DeploymentID {
			d := y.start(y.queue(wish(y.add("web"))))
			y.end(d.ID, stacks.DeploymentLost)
			return d.ID
		}, []string{askedByAda, turn, "lost: engine.apply"}},
		"it ends twice": {func(y *yard) core.DeploymentID {
			id := y.past("web")
			y.end(id, stacks.DeploymentSucceeded)
			return id
		}, []string{askedByAda, turn, "failed: engine.apply"}},
		"it is cancelled before it begins": {func(y *yard) core.DeploymentID {
			d := y.queue(wish(y.add("web")))
			_, err := y.CancelDeployment(y.t.Context(), d.ID, someone)
			y.must(err)
			return d.ID
		}, []string{askedByAda, "cancelled: deployment.cancelled by " + someone.Name}},
		"it is cancelled while it runs, twice": {func(y *yard) core.DeploymentID {
			d := y.start(y.queue(wish(y.add("web"))))
			for range 2 {
				_, err := y.CancelDeployment(y.t.Context(), d.ID, someone)
				y.must(err)
			}
			y.end(d.ID, stacks.DeploymentCancelled, func(o *stacks.Outcome) { o.ErrorCode = "deployment.cancelled" })
			return d.ID
		}, []string{askedByAda, turn, "running: it is asked to stop by " + someone.Name, "cancelled: deployment.cancelled"}},
		"the last good revision is put back": {func(y *yard) core.DeploymentID {
			d, _ := y.failsAfterApply(y.deployed("web", "c1"), "c2")
			y.end(d.ID, stacks.DeploymentRolledBack, observed(healthy...))
			return d.ID
		}, []string{"queued: changed", turn, "running: engine.unhealthy: revision 1 is put back", "rolled_back: revision 1 was put back"}},
		"it is not put back": {func(y *yard) core.DeploymentID {
			d, _ := y.failsAfterApply(y.deployed("web", "c1"), "c2")
			y.end(d.ID, stacks.DeploymentFailed)
			return d.ID
		}, []string{"queued: changed", turn, "running: engine.unhealthy: revision 1 is put back", "failed: revision 1 was not put back: engine.apply"}},
		"the one before did its work": {func(y *yard) core.DeploymentID {
			id := y.add("web")
			first := y.start(y.queue(wish(id)))
			second := y.queue(polled(id, "c1"))
			y.send(first, "c1")
			y.end(first.ID, stacks.DeploymentSucceeded, observed(healthy...))
			return second.ID
		}, []string{"queued: changed; follows the deployment that is running", "superseded: the deployment before was of this commit"}},
		"the stack is paused before it begins": {func(y *yard) core.DeploymentID {
			d := y.queue(polled(y.add("web"), "c1"))
			_, err := y.PauseStack(y.t.Context(), d.Stack, someone)
			y.must(err)
			return d.ID
		}, []string{"queued: changed", "superseded: the stack was paused by " + someone.Name + " before it started by " + someone.Name}},
		"its stack is deleted, with a teardown": {func(y *yard) core.DeploymentID {
			d := y.queue(wish(y.deployed("web", "c1")))
			gone, err := y.DeleteStack(y.t.Context(), d.Stack, true, false, someone)
			if y.must(err); gone {
				y.t.Error("the stack is gone at once")
			}
			return d.ID
		}, []string{askedByAda, "cancelled: the stack is being deleted by " + someone.Name}},
		"its worker is revoked": {func(y *yard) core.DeploymentID {
			d := y.start(y.queue(wish(y.add("web"))))
			y.send(d, "c1")
			_, err := y.RevokeWorker(y.t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
			y.must(err)
			return d.ID
		}, []string{askedByAda, turn, "failed: worker.gone by " + someone.Name}},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			if got := y.path(c.play(y)); !slices.Equal(got, c.want) {
				t.Errorf("its events are %q\nwant %q", got, c.want)
			}
			for _, d := range y.history("") {
				y.path(d.ID)
			}
		})
	}
}

func TestATransitionAndItsEventAreOneTransaction(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d, rows := y.queue(wish(id)), y.rows()
	if onPostgres {
		spoilt = true
		y.exec(t, `ALTER TABLE deployment_events ADD CHECK (number < 0) NOT VALID`)
	} else {
		y.exec(t, `CREATE TRIGGER full BEFORE INSERT ON deployment_events BEGIN SELECT RAISE(ABORT, 'no'); END`)
	}
	if _, err := y.StartDeployment(t.Context(), d.ID); err == nil {
		t.Error("it started without an event")
	}
	if _, err := y.CancelDeployment(t.Context(), d.ID, someone); err == nil {
		t.Error("it was cancelled without an event")
	}
	if _, err := y.QueueDeployment(t.Context(), wish(y.add("api")), someone); err == nil {
		t.Error("another was queued without an event")
	}
	y.exec(t, `DELETE FROM stacks WHERE name = 'api'; DELETE FROM audit_events WHERE action = 'stack.create' AND detail = 'api'`)
	if got := y.deployment(d.ID); got.State != stacks.DeploymentQueued || y.rows() != rows {
		t.Errorf("the deployment is %+v; %s, was %s", got, y.rows(), rows)
	}
}

func TestEventsGoWithTheirDeployment(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	y.exec(t, manyDeployments, id, store.KeptDeployments+2)
	y.exec(t, `INSERT INTO deployment_events (deployment_id, number, at, from_state, to_state, cause, actor) SELECT id, 1, 1, '', 'queued', 'x', '' FROM deployments`)
	y.prune()
	if n := y.count(t, `SELECT count(*) FROM deployment_events`); n != store.KeptDeployments {
		t.Errorf("the events of %d deployments are kept", n)
	}
	if _, err := y.DeleteStack(t.Context(), id, false, false, someone); err != nil {
		t.Fatal(err)
	}
	if n := y.count(t, `SELECT count(*) FROM deployment_events`); n != 0 {
		t.Errorf("%d events are kept of a stack that is gone", n)
	}
}
