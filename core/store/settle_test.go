package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

func TestSuccessMovesTheRevision(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(polled(id, "c1")))
	cmd := y.send(d, "c1")
	phases := []stacks.Phase{{Name: stacks.PhaseVerify, State: stacks.PhaseSucceeded}}
	ending, err := y.EndDeployment(t.Context(), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentSucceeded, Phases: phases, Containers: healthy, At: y.tick()},
		[]stacks.LogLine{{Deployment: d.ID, Number: 1, At: y.at, Text: "done\n"}})
	if err != nil || !ending.Ended {
		t.Fatalf("%v, %v", ending, err)
	}
	got := y.deployment(d.ID)
	if got.State != stacks.DeploymentSucceeded || got.FinishedAt != y.at || got.Commit != "c1" || got.Revision != 1 || !reflect.DeepEqual(got.Phases, phases) || got.Error != "" {
		t.Errorf("the deployment is %+v", got)
	}
	st := y.is(id, stacks.StatusActive, "")
	if st.Revision != 1 || st.Commit != "c1" || st.DeployedTree != "tree of c1" || st.OutOfSync || !reflect.DeepEqual(st.Containers, healthy) || st.ObservedAt != y.at {
		t.Errorf("the stack is %+v", st)
	}
	if c, err := y.Command(t.Context(), y.w.ID, cmd.ID); err != nil || c.State != stacks.CommandSucceeded {
		t.Errorf("the command is %+v, %v", c, err)
	}
	if log, err := y.DeploymentLog(t.Context(), d.ID, 0, 10); err != nil || len(log) != 1 {
		t.Errorf("the log is %v, %v", log, err)
	}
}

func TestADeploymentEndsOnce(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(wish(id)))
	y.send(d, "c2")
	y.end(d.ID, stacks.DeploymentFailed)
	rows, deployment, stack := y.rows(), y.deployment(d.ID), y.stack(id)
	ending, err := y.EndDeployment(t.Context(), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentSucceeded, At: y.tick(), Containers: healthy},
		[]stacks.LogLine{{Deployment: d.ID, Number: 9, Text: "late"}})
	if err != nil || ending.Ended || y.rows() != rows || !reflect.DeepEqual(y.deployment(d.ID), deployment) || !reflect.DeepEqual(y.stack(id), stack) {
		t.Errorf("ended %v, %v; %s, was %s", ending, err, y.rows(), rows)
	}
	_, err = y.EndDeployment(t.Context(), stacks.Outcome{Deployment: "dep_none", State: stacks.DeploymentFailed, At: y.at}, nil)
	y.refused("none", err, "deployment.not_found")
}

func TestFailureKeepsWhatRuns(t *testing.T) {
	for state, command := range map[stacks.DeploymentState]stacks.CommandState{
		stacks.DeploymentFailed: stacks.CommandFailed, stacks.DeploymentLost: stacks.CommandFailed, stacks.DeploymentCancelled: stacks.CommandCancelled,
	} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d := y.start(y.queue(wish(id)))
		cmd := y.send(d, "c2")
		if !y.end(d.ID, state) {
			t.Errorf("%s: it was no news", state)
		}
		st := y.stack(id)
		if st.Revision != 1 || st.Commit != "c1" || st.DeployedTree != "tree of c1" || !st.OutOfSync || !reflect.DeepEqual(st.Containers, healthy) {
			t.Errorf("%s: the stack is %+v", state, st)
		}
		if got := y.deployment(d.ID); got.State != state || got.Revision != 2 {
			t.Errorf("%s: the deployment is %+v", state, got)
		}
		if c, err := y.Command(t.Context(), y.w.ID, cmd.ID); err != nil || c.State != command {
			t.Errorf("%s: the command is %s, %v", state, c.State, err)
		}
		if state != stacks.DeploymentCancelled {
			y.is(id, stacks.StatusError, "it did not work")
		}
		y.deploy(id, "c3")
		y.is(id, stacks.StatusActive, "") // the failure is not shown for ever
	}
}

func TestOnlyWhatIsUnsentIsEnded(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	d := y.start(y.queue(wish(id)))
	cmd := y.send(d, "c1")
	_, err := y.MarkSent(t.Context(), y.w.ID, cmd.ID, 1)
	y.must(err)
	unsent := func(o *stacks.Outcome) { o.OnlyUnsent = true }
	if y.end(d.ID, stacks.DeploymentCancelled, unsent) || y.deployment(d.ID).State != stacks.DeploymentRunning {
		t.Error("it was ended though its worker has the command")
	}
	other := y.start(y.queue(wish(y.add("blog"))))
	y.send(other, "c1")
	if !y.end(other.ID, stacks.DeploymentCancelled, unsent) || y.deployment(other.ID).State != stacks.DeploymentCancelled {
		t.Error("it was not ended though its command was not sent")
	}
}

// A cancelled deployment must not make a stack look better than it is.
func TestWhatACancelledDeploymentLeaves(t *testing.T) {
	apply := func(o *stacks.Outcome) {
		o.Phases = []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseSucceeded}, {Name: stacks.PhaseApply, State: stacks.PhaseFailed}}
	}
	pull := func(o *stacks.Outcome) {
		o.Phases = []stacks.Phase{{Name: stacks.PhasePull, State: stacks.PhaseFailed}}
	}
	sick := stacks.ContainerState{Service: "web", State: "exited", ExitCode: 3}
	for name, c := range map[string]struct {
		before  func(*yard) core.StackID
		commit  core.Commit // dispatched; empty: it is cancelled while it is queued
		changes []func(*stacks.Outcome)
		status  stacks.Status
		says    string
	}{
		"a new stack is new again": {func(y *yard) core.StackID { return y.add("web") }, "", nil, stacks.StatusNew, ""},
		"one that runs is active":  {func(y *yard) core.StackID { return y.deployed("web", "c1") }, "", nil, stacks.StatusActive, ""},
		"one that failed before still shows it": {func(y *yard) core.StackID {
			id := y.deployed("web", "c1")
			y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
			return id
		}, "", nil, stacks.StatusError, "it did not work"},
		"also after a second cancellation": {func(y *yard) core.StackID {
			id := y.deployed("web", "c1")
			y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
			_, err := y.CancelDeployment(y.t.Context(), y.queue(wish(id)).ID, someone)
			y.must(err)
			return id
		}, "", nil, stacks.StatusError, "it did not work"},
		"one that is sick is degraded": {func(y *yard) core.StackID {
			id := y.deployed("web", "c1")
			_, err := y.SaveObserved(y.t.Context(), y.w.ID, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{sick}}}, false, y.tick())
			y.must(err)
			return id
		}, "", nil, stacks.StatusDegraded, "exited with code 3"},
		"sent, but nothing was applied": {func(y *yard) core.StackID { return y.deployed("web", "c1") }, "c2", []func(*stacks.Outcome){pull, observed(healthy...)}, stacks.StatusActive, ""},
		"half applied":                  {func(y *yard) core.StackID { return y.deployed("web", "c1") }, "c2", []func(*stacks.Outcome){apply, observed(healthy...)}, stacks.StatusError, "revision 2 was cancelled while it was being applied"},
		"half applied, the first ever":  {func(y *yard) core.StackID { return y.add("web") }, "c1", []func(*stacks.Outcome){apply}, stacks.StatusError, "revision 1 was cancelled"},
		"the same revision once more":   {func(y *yard) core.StackID { return y.deployed("web", "c1") }, "c1", []func(*stacks.Outcome){apply, observed(healthy...)}, stacks.StatusError, "revision 1 was cancelled while it was being applied"},
		"the same, and it is sick now":  {func(y *yard) core.StackID { return y.deployed("web", "c1") }, "c1", []func(*stacks.Outcome){apply, observed(sick)}, stacks.StatusError, "revision 1 was cancelled"},
		"half applied before, then cancelled in the queue": {func(y *yard) core.StackID {
			id := y.deployed("web", "c1")
			d := y.start(y.queue(wish(id)))
			y.send(d, "c2")
			y.end(d.ID, stacks.DeploymentCancelled, apply, observed(healthy...))
			return id
		}, "", nil, stacks.StatusError, "revision 2 was cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := c.before(y)
			d := y.queue(wish(id))
			if c.commit == "" {
				_, err := y.CancelDeployment(t.Context(), d.ID, someone)
				y.must(err)
			} else {
				y.send(y.start(d), c.commit)
				y.end(d.ID, stacks.DeploymentCancelled, c.changes...)
			}
			behind := c.status == stacks.StatusError || c.commit == "c2"
			if st := y.is(id, c.status, c.says); st.OutOfSync != behind || !st.RetryAt.IsZero() {
				t.Errorf("out of sync %v, tried again at %s", st.OutOfSync, st.RetryAt)
			}
		})
	}
}

// A look that has noted what it saw, and not yet recorded the head, does not count.
func TestAStackThatFellBehindDuringALookIsLookedAtAgain(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	y.exec(t, `UPDATE stacks SET auto_sync = 0`)
	d := y.start(y.queue(wish(id)))
	y.send(d, "c1")
	y.exec(t, `UPDATE repositories SET head = 'c1', asked_at = 7`)
	y.must(y.RecordSeen(t.Context(), []stacks.Seen{{Stack: id, Sight: stacks.Sight{Commit: "c2", Tree: "t"}, Verdict: stacks.Verdict{OutOfSync: true, Reason: "changed"}}}))
	y.end(d.ID, stacks.DeploymentSucceeded)
	y.exec(t, `UPDATE repositories SET asked_at = 0 WHERE asked_at = 7`)
	if y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0`) != 1 {
		t.Error("nobody tells that the stack is behind")
	}
}

func TestAStackThatFellBehindMeanwhileIsLookedAtAgain(t *testing.T) {
	for name, c := range map[string]struct {
		auto bool
		head core.Commit
		want int
	}{
		"the head moved on":                   {false, "c2", 1},
		"the head is what was deployed":       {false, "c1", 0},
		"the head is not known":               {false, "", 0},
		"with automatic sync polling asks so": {true, "c2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.add("web")
			y.exec(t, `UPDATE stacks SET auto_sync = ?`, c.auto)
			d := y.start(y.queue(wish(id)))
			y.send(d, "c1")
			y.must(y.RecordSeen(t.Context(), []stacks.Seen{{Stack: id, Sight: stacks.Sight{Commit: c.head, Tree: "t"}, Verdict: stacks.Verdict{OutOfSync: true, Reason: "changed"}}}))
			y.exec(t, `UPDATE repositories SET head = ?, asked_at = 0`, c.head)
			y.end(d.ID, stacks.DeploymentSucceeded)
			if n := y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0`); n != c.want {
				t.Errorf("%d looks were asked for, want %d", n, c.want)
			}
		})
	}
}

func TestFailuresAreTriedAgain(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	retries := func() int {
		n, err := y.QueueRetries(t.Context())
		y.must(err)
		return n
	}
	pause := 30 * time.Second
	y.end(y.start(y.queue(polled(id, "c2"))).ID, stacks.DeploymentFailed)
	for round := range 8 {
		st := y.is(id, stacks.StatusError, "it did not work")
		if got := st.RetryAt.Sub(y.at); got != pause || st.Retries != round+1 {
			t.Fatalf("failure %d waits %s, want %s; %d are counted", round+1, got, pause, st.Retries)
		}
		y.at = st.RetryAt.Add(-time.Microsecond)
		if n := retries(); n != 0 {
			t.Fatalf("%d were queued too early", n)
		}
		y.at = st.RetryAt
		if n := retries(); n != 1 || !strings.HasSuffix(y.states(id), "queued") {
			t.Fatalf("%d were queued: %s", n, y.states(id))
		}
		if n := retries(); n != 0 {
			t.Fatal("it was queued twice")
		}
		history := y.history(id)
		y.end(y.start(history[len(history)-1]).ID, stacks.DeploymentFailed)
		pause = min(2*pause, 15*time.Minute)
	}
	if reasons := y.reasons(id); reasons[len(reasons)-1] != "tried again after a failure, time 8" {
		t.Errorf("the reason is %q", reasons[len(reasons)-1])
	}
	y.at = y.stack(id).RetryAt
	if n := retries(); n != 1 {
		t.Fatalf("%d were queued", n)
	}
	last := y.start(y.history(id)[len(y.history(id))-1])
	y.send(last, "c2")
	y.end(last.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if st := y.is(id, stacks.StatusActive, ""); st.Retries != 0 || !st.RetryAt.IsZero() {
		t.Errorf("after a success %d failures are counted, the next at %s", st.Retries, st.RetryAt)
	}
	y.end(y.start(y.queue(polled(id, "c3"))).ID, stacks.DeploymentFailed)
	y.end(y.start(y.queue(polled(id, "c4"))).ID, stacks.DeploymentFailed)
	if got := y.stack(id).RetryAt.Sub(y.at); got != 30*time.Second {
		t.Errorf("after a new commit it waits %s", got)
	}
	d := y.queue(wish(id)) // a person's wish starts the count anew
	if st := y.stack(id); st.Retries != 0 || !st.RetryAt.IsZero() {
		t.Errorf("%d failures are counted, the next at %s", st.Retries, st.RetryAt)
	}
	y.end(y.start(d).ID, stacks.DeploymentFailed)
	if got := y.stack(id).RetryAt.Sub(y.at); got != 30*time.Second {
		t.Errorf("it waits %s", got)
	}
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	off := false
	for name, prepare := range map[string]func(*yard, core.StackID){
		"without automatic sync": func(y *yard, id core.StackID) {
			y.exec(y.t, `UPDATE stacks SET auto_sync = 0`)
			y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
		},
		"when another deployment is queued already": func(y *yard, id core.StackID) {
			d := y.start(y.queue(wish(id)))
			y.queue(wish(id))
			y.end(d.ID, stacks.DeploymentFailed)
		},
		"when automatic sync is switched off": func(y *yard, id core.StackID) {
			y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
			_, err := y.UpdateStack(y.t.Context(), id, stacks.Change{AutoSync: &off}, someone)
			y.must(err)
		},
		"when the stack is being deleted": func(y *yard, id core.StackID) {
			y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
			y.tearDown(id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.deployed("web", "c1")
			prepare(y, id)
			y.at = y.at.Add(time.Hour)
			rows := y.rows()
			if n, err := y.QueueRetries(t.Context()); err != nil || n != 0 || y.rows() != rows {
				t.Errorf("%d were queued, %v; %s, was %s", n, err, y.rows(), rows)
			}
		})
	}
}
