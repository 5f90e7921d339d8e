package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// yard is a store with two workers, where the clock moves with every step so that
// identifiers sort by age. Its methods end the test when the store refuses.
type yard struct {
	*fleetRoom
	t        *testing.T
	w, other fleet.Worker
}

func openYard(t *testing.T) *yard {
	t.Helper()
	y := &yard{fleetRoom: openFleet(t), t: t}
	y.w, y.other = y.worker(t, "web-1"), y.worker(t, "web-2")
	y.exec(t, `UPDATE workers SET engine = hostname`) // each has its own
	return y
}

func (y *yard) must(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

// refused checks the code of a fault.
func (y *yard) refused(what string, err error, code string) {
	y.t.Helper()
	if fault.CodeOf(err) != code {
		y.t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func (y *yard) tick() time.Time {
	y.at = y.at.Add(time.Millisecond)
	return y.at
}

// add makes a stack that syncs by itself and was not deployed.
func (y *yard) add(name string) core.StackID {
	y.t.Helper()
	id := core.StackID(core.NewID(core.PrefixStack, y.tick()))
	_, _, err := y.CreateStack(y.t.Context(), stacks.Stack{ID: id, Name: name, Repository: "rep_1", Path: name, AutoSync: true}, nil, someone)
	y.must(err)
	return id
}

func wish(id core.StackID) stacks.Ask {
	return stacks.Ask{Stack: id, Trigger: stacks.TriggerManual, Actor: "ada@example.org", Reason: "asked"}
}

// polled is the wish of polling for a commit.
func polled(id core.StackID, commit core.Commit) stacks.Ask {
	return stacks.Ask{Stack: id, Trigger: stacks.TriggerPoll, Actor: "system", Reason: "changed", Commit: commit, SeenTree: "tree of " + string(commit)}
}

func (y *yard) queue(ask stacks.Ask) stacks.Deployment {
	y.t.Helper()
	y.tick()
	d, err := y.QueueDeployment(y.t.Context(), ask, someone)
	y.must(err)
	return d
}

func (y *yard) start(d stacks.Deployment) stacks.Deployment {
	y.t.Helper()
	y.tick()
	d, err := y.StartDeployment(y.t.Context(), d.ID)
	y.must(err)
	return d
}

// send dispatches a running deployment of a commit to the yard's worker.
func (y *yard) send(d stacks.Deployment, commit core.Commit) stacks.Command {
	y.t.Helper()
	cmd := y.command(d)
	p := stacks.Progress{Deployment: d.ID, Commit: commit, Tree: "tree of " + string(commit), Worker: y.w.ID, Phases: []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseSucceeded}}}
	number, err := y.Dispatch(y.t.Context(), stacks.Revision{Stack: d.Stack, Commit: commit, Digest: "digest of " + string(commit), Manifest: stacks.DefaultManifest(),
		Services: []core.ComposeService{{Name: "web"}}, Tree: "tree of " + string(commit)}, cmd, p, nil)
	y.must(err)
	cmd.Body.Revision = number
	return cmd
}

// command is one that puts d in place on the yard's worker.
func (y *yard) command(d stacks.Deployment) stacks.Command {
	at := y.tick()
	return stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, at)), Attempt: 1, Worker: y.w.ID, Kind: stacks.CommandDeploy,
		Stack: d.Stack, Deployment: d.ID, State: stacks.CommandQueued, CreatedAt: at, Body: stacks.CommandBody{Project: y.stack(d.Stack).ProjectName(), Seconds: 60}}
}

// end closes a deployment and reports whether that was news.
func (y *yard) end(id core.DeploymentID, state stacks.DeploymentState, change ...func(*stacks.Outcome)) bool {
	y.t.Helper()
	o := stacks.Outcome{Deployment: id, State: state, At: y.tick()}
	if state == stacks.DeploymentFailed || state == stacks.DeploymentLost {
		o.ErrorCode, o.Error = "engine.apply", "it did not work"
	}
	for _, c := range change {
		c(&o)
	}
	ending, err := y.EndDeployment(y.t.Context(), o, nil)
	y.must(err)
	return ending.Ended
}

// healthy is what a worker sees of a stack that is well.
var healthy = []stacks.ContainerState{{Service: "web", Container: "web-1", State: "running"}}

func observed(containers ...stacks.ContainerState) func(*stacks.Outcome) {
	return func(o *stacks.Outcome) { o.Containers = append([]stacks.ContainerState{}, containers...) }
}

// deployed makes a stack that runs, in sync at a commit.
func (y *yard) deployed(name string, commit core.Commit) core.StackID {
	y.t.Helper()
	id := y.add(name)
	y.deploy(id, commit)
	return id
}

func (y *yard) deploy(id core.StackID, commit core.Commit) stacks.Deployment {
	y.t.Helper()
	d := y.start(y.queue(wish(id)))
	y.send(d, commit)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	return y.deployment(d.ID)
}

func (y *yard) stack(id core.StackID) stacks.Stack {
	y.t.Helper()
	st, err := y.Stack(y.t.Context(), id)
	y.must(err)
	return st
}

func (y *yard) deployment(id core.DeploymentID) stacks.Deployment {
	y.t.Helper()
	d, err := y.Deployment(y.t.Context(), id)
	y.must(err)
	return d
}

// history is the deployments of a stack, oldest first.
func (y *yard) history(id core.StackID) []stacks.Deployment {
	y.t.Helper()
	list, err := y.Deployments(y.t.Context(), stacks.DeploymentFilter{Stack: id}, core.Page{Limit: core.MaxPage})
	y.must(err)
	slices.Reverse(list.Items)
	return list.Items
}

// states are those of a stack's deployments, oldest first.
func (y *yard) states(id core.StackID) string {
	y.t.Helper()
	var all []string
	for _, d := range y.history(id) {
		all = append(all, string(d.State))
	}
	return strings.Join(all, " ")
}

// reasons are those of a stack's decisions, oldest first.
func (y *yard) reasons(id core.StackID) []string {
	y.t.Helper()
	list, err := y.Decisions(y.t.Context(), id, core.Page{Limit: core.MaxPage})
	y.must(err)
	var all []string
	for _, d := range slices.Backward(list.Items) {
		all = append(all, d.Reason)
	}
	return all
}

// is checks a stack's status and, in part, its error.
func (y *yard) is(id core.StackID, status stacks.Status, problem string) stacks.Stack {
	y.t.Helper()
	st := y.stack(id)
	if st.Status != status || !strings.Contains(st.Error, problem) || problem == "" && st.Error != "" {
		y.t.Errorf("the stack is %s, %q; want %s, %q", st.Status, st.Error, status, problem)
	}
	return st
}

// rows counts the rows of every table, to see whether anything was written.
func (y *yard) rows() string {
	y.t.Helper()
	counts := ""
	for _, table := range []string{"stacks", "revisions", "deployments", "deployment_log", "deployment_events", "decisions", "commands", "audit_events", "variables", "variable_bindings", "jobs", "job_fires", "job_runs", "job_run_log", "job_logs_left"} {
		counts += fmt.Sprintf("%s %d ", table, y.count(y.t, `SELECT count(*) FROM `+table))
	}
	return counts
}

func (y *yard) audits(action string) int {
	y.t.Helper()
	return y.count(y.t, `SELECT count(*) FROM audit_events WHERE action = ?`, action)
}

var machine = access.System
