package store_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// litter gives a stack a row in every table that hangs on it.
func (y *yard) litter(id core.StackID) {
	y.t.Helper()
	y.exec(y.t, `INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, created_at, updated_at) VALUES ('var_' || ?, 'stack', ?, 'A', 0, '', 'x', '', 0, 0)`, id, id)
	y.exec(y.t, `INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, created_at, updated_at) VALUES ('var_g', 'global', '', 'G', 0, '', 'x', '', 0, 0) ON CONFLICT DO NOTHING`)
	y.exec(y.t, `INSERT INTO variable_bindings (variable_id, scope, scope_id) VALUES ('var_g', 'stack', ?)`, id)
	for _, d := range y.history(id) {
		y.exec(y.t, `INSERT INTO deployment_log (deployment_id, number, at, text) VALUES (?, 1000, 0, 'x')`, d.ID)
	}
}

// left counts the rows that mention a stack.
func (y *yard) left(id core.StackID) int {
	y.t.Helper()
	return y.count(y.t, `SELECT (SELECT count(*) FROM stacks WHERE id = ?1) + (SELECT count(*) FROM revisions WHERE stack_id = ?1) + (SELECT count(*) FROM deployments WHERE stack_id = ?1)
		+ (SELECT count(*) FROM decisions WHERE stack_id = ?1) + (SELECT count(*) FROM commands WHERE stack_id = ?1) + (SELECT count(*) FROM variables WHERE scope_id = ?1)
		+ (SELECT count(*) FROM variable_bindings WHERE scope_id = ?1) + (SELECT count(*) FROM deployment_log WHERE number = 1000 AND deployment_id NOT IN (SELECT id FROM deployments WHERE stack_id <> ?1))`, id)
}

func TestDeletionWithoutTeardownTakesEverythingAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		prepare  func(*yard, core.StackID)
		teardown bool
	}{
		"one that was never deployed":           {func(*yard, core.StackID) {}, false},
		"the same, with teardown":               {func(*yard, core.StackID) {}, true},
		"one whose deployment is queued":        {func(y *yard, id core.StackID) { y.queue(wish(id)) }, true},
		"one that failed before it was sent":    {func(y *yard, id core.StackID) { y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed) }, true},
		"one that runs":                         {func(y *yard, id core.StackID) { y.deploy(id, "c1") }, false},
		"one that is being torn down":           {func(y *yard, id core.StackID) { y.deploy(id, "c1"); y.tearDown(id) }, false},
		"one that runs, a deployment is queued": {func(y *yard, id core.StackID) { y.deploy(id, "c1"); y.queue(wish(id)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id, neighbour := y.add("web"), y.deployed("blog", "c1")
			c.prepare(y, id)
			y.litter(id)
			y.litter(neighbour)
			before := y.left(neighbour)
			gone, err := y.DeleteStack(t.Context(), id, c.teardown, true, someone)
			if err != nil || !gone || y.left(id) != 0 {
				t.Errorf("gone %v, %v; %d rows are left", gone, err, y.left(id))
			}
			if y.left(neighbour) != before || y.count(t, `SELECT count(*) FROM variables WHERE id = 'var_g'`) != 1 {
				t.Error("something of others went along")
			}
			if y.count(t, `SELECT count(*) FROM audit_events WHERE action = 'stack.delete' AND resource = ? AND detail = 'web'`, id) < 1 {
				t.Error("no audit event")
			}
			_, err = y.DeleteStack(t.Context(), id, false, false, someone)
			y.refused("deleting again", err, "stack.not_found")
		})
	}
}

// tearDown deletes a stack by a command to its worker, and returns the command.
func (y *yard) tearDown(id core.StackID) stacks.Command {
	y.t.Helper()
	y.tick()
	gone, err := y.DeleteStack(y.t.Context(), id, true, true, someone)
	y.must(err)
	if gone {
		y.t.Fatal("it went without a teardown")
	}
	open, err := y.OpenCommands(y.t.Context(), y.w.ID)
	y.must(err)
	for _, c := range open {
		if c.Stack == id && c.Kind == stacks.CommandTeardown {
			return c
		}
	}
	y.t.Fatal("there is no teardown")
	return stacks.Command{}
}

func TestTeardownIsQueuedOnce(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	cmd := y.tearDown(id)
	if cmd.Worker != y.w.ID || cmd.State != stacks.CommandQueued || cmd.Attempt != 1 || cmd.Deployment != "" ||
		cmd.Body.Project != "web" || !cmd.Body.Volumes || cmd.Body.Seconds != 1800 {
		t.Errorf("the command is %+v", cmd)
	}
	if st := y.is(id, stacks.StatusPending, ""); !st.Deleting {
		t.Error("the stack does not say that it is being deleted")
	}
	if again := y.tearDown(id); again.ID != cmd.ID || y.count(t, `SELECT count(*) FROM commands WHERE kind = 'teardown'`) != 1 {
		t.Error("it was queued twice")
	}
	_, err := y.QueueDeployment(t.Context(), wish(id), someone)
	y.refused("an ask", err, "stack.deleting")
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c2")})) // polling passes it over
	if got := y.states(id); got != "succeeded" {
		t.Errorf("deployments are %s", got)
	}
}

func TestDeletionWaitsForARunningDeployment(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(wish(id)))
	before := y.rows()
	for _, teardown := range []bool{true, false} {
		_, err := y.DeleteStack(t.Context(), id, teardown, false, someone)
		y.refused("deletion", err, "stack.busy")
	}
	if after := y.rows(); after != before || y.deployment(d.ID).State != stacks.DeploymentRunning {
		t.Errorf("a refused deletion left %s, was %s", after, before)
	}
}

func TestADeletionCancelsWhatIsQueued(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.queue(wish(id))
	y.tearDown(id)
	if got := y.deployment(d.ID); got.State != stacks.DeploymentCancelled || got.FinishedAt.IsZero() {
		t.Errorf("the queued deployment is %+v", got)
	}
	_, err := y.StartDeployment(t.Context(), d.ID)
	y.refused("starting it", err, "deployment.moved")
}

func TestARevokedWorkerTearsNothingDown(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
	y.must(err)
	_, err = y.DeleteStack(t.Context(), id, true, false, someone)
	if fault.CodeOf(err) != "worker.revoked" || !fault.Is(err, fault.Conflict) || !strings.Contains(fault.PublicOf(err), "web-1") || !strings.Contains(fault.PublicOf(err), "without teardown") {
		t.Errorf("got %v", err)
	}
	if y.stack(id).Deleting || y.audits("stack.delete") != 0 {
		t.Error("a refused deletion left something")
	}
	if gone, err := y.DeleteStack(t.Context(), id, false, false, someone); err != nil || !gone {
		t.Errorf("without teardown: %v, %v", gone, err)
	}
}

func TestTheEndOfATeardown(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	cmd := y.tearDown(id)
	y.must(y.EndTeardown(t.Context(), cmd, "network in use", y.tick()))
	if st := y.is(id, stacks.StatusError, "teardown failed: network in use"); st.Deleting {
		t.Error("it cannot be deleted again")
	}
	if got, err := y.Command(t.Context(), y.w.ID, cmd.ID); err != nil || got.State != stacks.CommandFailed {
		t.Errorf("the command is %+v, %v", got, err)
	}
	if open, err := y.OpenCommands(t.Context(), y.w.ID); err != nil || len(open) != 0 {
		t.Errorf("open are %v, %v", open, err)
	}

	// The stack lives again; what the worker repeats of the old teardown must not touch it.
	y.deploy(id, "c2")
	y.refused("a repeated failure", y.EndTeardown(t.Context(), cmd, "network in use", y.tick()), "command.not_found")
	y.refused("a late success", y.EndTeardown(t.Context(), cmd, "", y.tick()), "command.not_found")
	y.is(id, stacks.StatusActive, "")

	second := y.tearDown(id)
	y.refused("the old command while the new one is open", y.EndTeardown(t.Context(), cmd, "", y.tick()), "command.not_found")
	y.litter(id)
	y.must(y.EndTeardown(t.Context(), second, "", y.tick()))
	if y.left(id) != 0 {
		t.Errorf("%d rows are left", y.left(id))
	}
	y.refused("its repetition", y.EndTeardown(t.Context(), second, "", y.tick()), "command.not_found")
}

func TestADeploymentsCommandIsNoTeardown(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	cmd := y.send(y.start(y.queue(wish(id))), "c1")
	y.refused("ending it as a teardown", y.EndTeardown(t.Context(), cmd, "", y.tick()), "command.not_found")
	if y.left(id) == 0 {
		t.Error("the stack is gone")
	}
}
