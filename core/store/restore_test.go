package store_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

// failing is what a worker reports of a deployment that failed while it was verified.
func failing(o *stacks.Outcome) {
	o.ErrorCode, o.Error, o.Service, o.Lines = "engine.unhealthy", "web is not healthy", "web", "no such table"
	o.Phases = []stacks.Phase{{Name: stacks.PhaseApply, State: stacks.PhaseSucceeded}, {Name: stacks.PhaseVerify, State: stacks.PhaseFailed}}
}

// failsAfterApply deploys a commit that does not become healthy, and returns the deployment while
// the last good revision is being put back, with the command that does so.
func (y *yard) failsAfterApply(id core.StackID, commit core.Commit) (stacks.Deployment, stacks.Command) {
	y.t.Helper()
	d := y.start(y.queue(polled(id, commit)))
	y.send(d, commit)
	o := stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, At: y.tick()}
	failing(&o)
	ending, err := y.EndDeployment(y.t.Context(), o, []stacks.LogLine{{Deployment: d.ID, Number: 1, At: y.at, Text: "verify failed\n"}})
	y.must(err)
	if ending.Ended || ending.Restore == 0 {
		y.t.Fatalf("the ending is %+v; want a restore", ending)
	}
	return y.deployment(d.ID), y.openCommand(y.w.ID)
}

// openCommand is the one command of a worker that has not ended.
func (y *yard) openCommand(worker core.WorkerID) stacks.Command {
	y.t.Helper()
	open, err := y.OpenCommands(y.t.Context(), worker)
	y.must(err)
	if len(open) != 1 {
		y.t.Fatalf("open commands of the worker are %+v; want one", open)
	}
	return open[0]
}

func TestAFailedDeploymentIsRestored(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d, cmd := y.failsAfterApply(id, "c2")
	if d.State != stacks.DeploymentRunning || d.Restore != (stacks.Restore{Revision: 1, State: stacks.RestoreRunning}) ||
		d.FailedService != "web" || d.FailedLines != "no such table" || d.Error != "web is not healthy" || d.ErrorCode != "engine.unhealthy" {
		t.Errorf("the deployment is %+v", d)
	}
	if !cmd.Body.Restore || cmd.Body.Revision != 1 || cmd.Deployment != d.ID || cmd.Kind != stacks.CommandDeploy || cmd.State != stacks.CommandQueued || cmd.Body.Seconds != 1800 {
		t.Errorf("the command is %+v", cmd)
	}
	log, err := y.DeploymentLog(t.Context(), d.ID, 0, 10)
	if err != nil || len(log) != 2 || log[1].Number != 2 || !strings.Contains(log[1].Text, "revision 1") {
		t.Errorf("the log is %+v, %v", log, err)
	}
	y.is(id, stacks.StatusSyncing, "")

	if !y.end(d.ID, stacks.DeploymentRolledBack, observed(healthy...)) {
		t.Fatal("it did not end")
	}
	d = y.deployment(d.ID)
	if d.State != stacks.DeploymentRolledBack || d.Restore.State != stacks.RestoreSucceeded || d.Error != "web is not healthy" || d.FailedService != "web" || d.FinishedAt != y.at || d.Revision != 2 {
		t.Errorf("the deployment is %+v", d)
	}
	st := y.is(id, stacks.StatusActive, "")
	if st.Revision != 1 || st.Commit != "c1" || !st.OutOfSync || !st.RetryAt.IsZero() || st.Quarantine.Tree != "tree of c2" || st.Quarantine.Commit != "c2" || st.Quarantine.Deployment != d.ID {
		t.Errorf("the stack is %+v", st)
	}
	if c, err := y.Command(t.Context(), y.w.ID, cmd.ID); err != nil || c.State != stacks.CommandSucceeded {
		t.Errorf("the command is %+v, %v", c, err)
	}
}

func TestARestoreThatFailsToo(t *testing.T) {
	for state, want := range map[stacks.DeploymentState]stacks.RestoreState{
		stacks.DeploymentFailed: stacks.RestoreFailed, stacks.DeploymentLost: stacks.RestoreFailed, stacks.DeploymentCancelled: stacks.RestoreFailed,
	} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d, _ := y.failsAfterApply(id, "c2")
		y.end(d.ID, state, func(o *stacks.Outcome) {
			o.Error = "the disk is full"
			o.Phases = d.Phases
		})
		d = y.deployment(d.ID)
		if d.State != state || d.Restore.State != want || d.Restore.Error != "the disk is full" || d.Error != "web is not healthy" {
			t.Errorf("%s: the deployment is %+v", state, d)
		}
		if st := y.stack(id); st.Status != stacks.StatusError || st.Quarantine.Tree != "" || st.Error == "" {
			t.Errorf("%s: the stack is %+v", state, st)
		}
	}
}

func TestNothingIsRestored(t *testing.T) {
	for name, change := range map[string]func(o *stacks.Outcome){
		"when nothing was changed yet": func(o *stacks.Outcome) { o.Phases = o.Phases[1:] },
		"when apply was skipped":       func(o *stacks.Outcome) { o.Phases[0].State = stacks.PhaseSkipped },
		"when it was cancelled":        func(o *stacks.Outcome) { o.State = stacks.DeploymentCancelled },
		"when nobody can know":         func(o *stacks.Outcome) { o.State = stacks.DeploymentLost },
		"when its worker is gone":      func(o *stacks.Outcome) { o.NoRestore = true },
	} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d := y.start(y.queue(polled(id, "c2")))
		y.send(d, "c2")
		if !y.end(d.ID, stacks.DeploymentFailed, failing, change) {
			t.Errorf("%s: it did not end", name)
		}
	}
	y := openYard(t)
	first := y.add("first")
	d := y.start(y.queue(polled(first, "c1")))
	y.send(d, "c1")
	if !y.end(d.ID, stacks.DeploymentFailed, failing) {
		t.Error("there is no good revision, yet it did not end")
	}
	same := y.deployed("same", "c1")
	d = y.start(y.queue(wish(same)))
	y.send(d, "c1")
	if !y.end(d.ID, stacks.DeploymentFailed, failing) {
		t.Error("the good revision is the one that failed, yet it did not end")
	}
	if st := y.stack(same); st.RetryAt.IsZero() || st.Status != stacks.StatusError {
		t.Errorf("it is not tried again: %+v", st)
	}
}

func TestTheManifestMayKeepWhatFailed(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(polled(id, "c2")))
	y.send(d, "c2")
	manifest := stacks.DefaultManifest()
	manifest.OnFailure = stacks.OnFailureKeep
	y.manifest(id, 2, manifest)
	if !y.end(d.ID, stacks.DeploymentFailed, failing) || y.deployment(d.ID).State != stacks.DeploymentFailed {
		t.Error("it was restored")
	}
	if st := y.is(id, stacks.StatusError, "web is not healthy"); st.RetryAt.IsZero() {
		t.Error("it is not tried again")
	}
}

// Quarantine lasts until the folder changes or a person wants something else.
func TestQuarantineEnds(t *testing.T) {
	for name, c := range map[string]struct {
		ask  func(id core.StackID) stacks.Ask
		ends bool
	}{
		"a person syncs":     {wish, true},
		"the folder changed": {func(id core.StackID) stacks.Ask { return polled(id, "c3") }, true},
		"drift is repaired": {func(id core.StackID) stacks.Ask {
			return stacks.Ask{Stack: id, Trigger: stacks.TriggerDrift, Actor: "system", Aim: stacks.Aim{Revision: 1}}
		}, false},
		"a failure is tried again": {func(id core.StackID) stacks.Ask {
			return stacks.Ask{Stack: id, Trigger: stacks.TriggerPoll, Actor: "system", Retry: true}
		}, false},
		"a person rolls further on": {func(id core.StackID) stacks.Ask { return rollback(id, 1) }, true},
	} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d, _ := y.failsAfterApply(id, "c2")
		y.end(d.ID, stacks.DeploymentRolledBack)
		y.queue(c.ask(id))
		if ended := y.stack(id).Quarantine.Tree == ""; ended != c.ends {
			t.Errorf("%s: quarantine ended is %v", name, ended)
		}
	}
}

func TestARevokedWorkerEndsARestore(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d, cmd := y.failsAfterApply(id, "c2")
	_, err := y.MarkSent(t.Context(), y.w.ID, cmd.ID, 1)
	y.must(err)
	_, err = y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
	y.must(err)
	if d = y.deployment(d.ID); d.State != stacks.DeploymentLost || d.Restore.State != stacks.RestoreFailed {
		t.Errorf("the deployment is %+v", d)
	}
}
