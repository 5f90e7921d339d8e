package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/core/variables"
)

// coded is a failure with this code.
func coded(code string) func(*stacks.Outcome) {
	return func(o *stacks.Outcome) { o.ErrorCode = code }
}

// standing makes a stack that runs, and whose last deployment failed before it was dispatched.
func (y *yard) standing(name, code string) core.StackID {
	id := y.deployed(name, "c1")
	y.end(y.start(y.queue(polled(id, "c2"))).ID, stacks.DeploymentFailed, coded(code))
	return id
}

// retried queues what is due in an hour and reports whether something was.
func (y *yard) retried(after time.Duration) bool {
	y.t.Helper()
	y.at = y.at.Add(after)
	n, err := y.QueueRetries(y.t.Context())
	y.must(err)
	return n > 0
}

func (y *yard) variable(o variables.Owner, name string) variables.Variable {
	y.t.Helper()
	v, err := y.AddVariable(y.t.Context(), variables.Stored{Variable: variables.Variable{ID: core.VariableID(core.NewID(core.PrefixVariable, y.tick())), Owner: o, Name: name, Value: "1"}}, access.AuditEvent{})
	y.must(err)
	return v
}

func (y *yard) setValue(id core.VariableID, value string) {
	y.t.Helper()
	_, err := y.EditVariable(y.t.Context(), id, func(v variables.Stored) (variables.Stored, bool, error) {
		changed := v.Value != value
		v.Value = value
		return v, changed, nil
	}, someone)
	y.must(err)
}

func TestWhatOnlyAChangeMendsIsNotTriedAgainByTheClock(t *testing.T) {
	for _, code := range []string{"compose.invalid", "lint.failed", "manifest.invalid", "sops.other_recipients"} {
		y := openYard(t)
		id := y.standing("web", code)
		if st := y.is(id, stacks.StatusError, "it did not work"); !st.RetryAt.IsZero() || !st.Stands() || y.retried(24*time.Hour) {
			t.Errorf("%s is tried again: %+v", code, st)
		}
		y.queue(polled(id, "c3")) // a commit
		if st := y.stack(id); st.Status != stacks.StatusPending || st.Stands() {
			t.Errorf("after a commit the stack is %+v", st)
		}
	}
}

func TestAChangeOfVariablesTriesAgainWhatStands(t *testing.T) {
	global := variables.Owner{Scope: variables.ScopeGlobal}
	for name, change := range map[string]func(*yard, core.StackID) func(){
		"a new one": func(y *yard, id core.StackID) func() { return func() { y.variable(variables.OfStack(id), "PORT") } },
		"another value": func(y *yard, id core.StackID) func() {
			v := y.variable(variables.OfStack(id), "PORT")
			return func() { y.setValue(v.ID, "2") }
		},
		"one that is deleted": func(y *yard, id core.StackID) func() {
			v := y.variable(variables.OfStack(id), "PORT")
			return func() { y.must(y.DeleteVariable(y.t.Context(), v.ID, someone)) }
		},
		"imported ones": func(y *yard, id core.StackID) func() {
			return func() {
				y.must(y.ImportVariables(y.t.Context(), variables.OfStack(id), func(map[string]variables.Stored) ([]variables.Stored, error) { return nil, nil }, someone))
			}
		},
		"a global one that reaches it": func(y *yard, id core.StackID) func() {
			v := y.variable(global, "PORT")
			y.must(y.BindVariable(y.t.Context(), v.ID, variables.OfStack(id), true, someone))
			return func() { y.setValue(v.ID, "2") }
		},
		"a global one that is deleted": func(y *yard, id core.StackID) func() {
			v := y.variable(global, "PORT")
			y.must(y.BindVariable(y.t.Context(), v.ID, variables.OfStack(id), true, someone))
			return func() { y.must(y.DeleteVariable(y.t.Context(), v.ID, someone)) }
		},
		"a global one that is bound": func(y *yard, id core.StackID) func() {
			v := y.variable(global, "PORT")
			return func() { y.must(y.BindVariable(y.t.Context(), v.ID, variables.OfStack(id), true, someone)) }
		},
		"all that are bound": func(y *yard, id core.StackID) func() {
			return func() { y.must(y.BindVariables(y.t.Context(), variables.OfStack(id), nil, someone)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id, other := y.deployed("web", "c1"), y.standing("other", "compose.invalid")
			do := change(y, id)
			for i, code := range []string{"compose.invalid", "lint.failed", "secret.unresolved"} {
				y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed, coded(code))
				do()
				if st := y.stack(id); st.RetryAt.IsZero() || st.RetryAt.After(y.at) {
					t.Fatalf("%s is tried again at %s, now is %s", code, st.RetryAt, y.at)
				}
				if !y.retried(time.Millisecond) || y.stack(id).Status != stacks.StatusPending {
					t.Fatalf("%s is not tried again", code)
				}
				y.end(y.start(y.history(id)[len(y.history(id))-1]).ID, stacks.DeploymentFailed, coded(code))
				do = func() { y.variable(variables.OfStack(id), fmt.Sprint("OTHER_", i)) }
			}
			if st := y.stack(other); !st.Stands() {
				t.Errorf("another stack is tried again too: %+v", st)
			}
		})
	}
}

func TestAVariableHurriesNothingThatItCannotMend(t *testing.T) {
	y := openYard(t)
	id := y.standing("web", "engine.image")
	before := y.stack(id).RetryAt
	y.variable(variables.OfStack(id), "PORT")
	if at := y.stack(id).RetryAt; before.IsZero() || !at.Equal(before) {
		t.Errorf("it is tried again at %s, was %s", at, before)
	}
	v := y.variable(variables.OfStack(id), "OTHER")
	y.deploy(id, "c2")
	y.setValue(v.ID, "2")
	if st := y.stack(id); !st.RetryAt.IsZero() || st.Retry != (stacks.Retry{}) {
		t.Errorf("a stack that is well is tried again: %+v", st)
	}
}

// What a deployment read before the change may be what made it fail.
func TestAChangeDuringADeploymentIsNotLost(t *testing.T) {
	for name, change := range map[string]func(*yard, core.StackID){
		"of a variable": func(y *yard, id core.StackID) { y.variable(variables.OfStack(id), "PORT") },
		"of the head": func(y *yard, id core.StackID) {
			y.must(y.SetFetched(y.t.Context(), "rep_1", core.GitHead{Commit: "c3"}, core.LineageUnknown, y.tick()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.deployed("web", "c1")
			d := y.start(y.queue(polled(id, "c2")))
			change(y, id)
			y.end(d.ID, stacks.DeploymentFailed, coded("compose.invalid"))
			if y.stack(id).RetryAt.IsZero() || !y.retried(time.Minute) {
				t.Fatalf("the change is lost: %+v", y.stack(id))
			}
			y.end(y.start(y.history(id)[len(y.history(id))-1]).ID, stacks.DeploymentFailed, coded("compose.invalid"))
			if st := y.stack(id); !st.Stands() {
				t.Errorf("it is tried again for ever: %+v", st)
			}
		})
	}
}

func TestWhatIsDeployedOfTheNewHeadHasReadIt(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.queue(polled(id, "c2")) // as polling does: the head is recorded last
	y.must(y.SetFetched(t.Context(), "rep_1", core.GitHead{Commit: "c2"}, core.LineageUnknown, y.tick()))
	y.end(y.start(d).ID, stacks.DeploymentFailed, coded("compose.invalid"))
	if st := y.stack(id); !st.Stands() {
		t.Errorf("it is tried again: %+v", st)
	}
}

func TestAnyCommitMayMendWhatLiesOutsideTheFolder(t *testing.T) {
	y := openYard(t)
	outside, inside := y.standing("web", "compose.file_missing"), y.standing("other", "manifest.invalid")
	y.must(y.SetFetched(t.Context(), "rep_1", core.GitHead{Commit: "c3"}, core.LineageUnknown, y.tick()))
	if st := y.stack(outside); st.RetryAt.IsZero() || !st.Retry.ByItself() && !st.AutoSync {
		t.Errorf("the stack is %+v", st)
	}
	if st := y.stack(inside); !st.Stands() {
		t.Errorf("what the folder alone mends is tried again: %+v", st)
	}
	if !y.retried(time.Minute) || y.stack(outside).Status != stacks.StatusPending {
		t.Errorf("it is not tried again: %s", y.states(outside))
	}
}

func TestAStandingFailureBehindARepairStaysOne(t *testing.T) {
	y := openYard(t)
	id := y.standing("web", "compose.invalid")
	repair := y.start(y.queue(stacks.Ask{Stack: id, Trigger: stacks.TriggerDrift, Actor: "system", Aim: stacks.Aim{Revision: 1}}))
	y.resend(repair, 1, y.w.ID)
	y.end(repair.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if st := y.is(id, stacks.StatusActive, ""); !st.RetryAt.IsZero() || st.Retry.Of == "" {
		t.Fatalf("the stack is %+v", st)
	}
	y.variable(variables.OfStack(id), "PORT")
	if !y.retried(time.Millisecond) {
		t.Error("a change does not try the head again")
	}
}

// failedByHand makes a stack that runs, of which a person deployed commit c2 before polling saw it, and its files are bad.
func (y *yard) failedByHand(code string) core.StackID {
	id := y.deployed("web", "c1")
	y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed, coded(code), func(o *stacks.Outcome) { o.Commit = "c2" })
	return id
}

// pollsHead does what polling does with a head: it judges the stack and records the head. It reports whether anything is open then.
func (y *yard) pollsHead(id core.StackID, commit core.Commit, known stacks.Stack) bool {
	y.t.Helper()
	ask := polled(id, commit)
	sight := stacks.Sight{Commit: commit, Tree: ask.SeenTree, Trigger: stacks.TriggerPoll}
	if v := stacks.Decide(known, sight); v.Deploy {
		y.must(y.QueueAll(y.t.Context(), []stacks.Ask{ask}))
	} else if v.Record {
		y.must(y.RecordSeen(y.t.Context(), []stacks.Seen{{Stack: id, Sight: sight, Verdict: v}}))
	}
	y.must(y.SetFetched(y.t.Context(), "rep_1", core.GitHead{Commit: commit}, core.LineageUnknown, y.tick()))
	y.retried(time.Millisecond)
	return y.stack(id).Status == stacks.StatusPending
}

func TestWhatFailedByHandForItsFilesIsNotDeployedAgainByPolling(t *testing.T) {
	for _, code := range []string{"lint.failed", "compose.invalid", "manifest.invalid"} {
		for name, known := range map[string]func(y *yard, id core.StackID) stacks.Stack{
			"as it is": func(y *yard, id core.StackID) stacks.Stack { return y.stack(id) },
			"as it was before that": func(y *yard, id core.StackID) stacks.Stack {
				s := y.stack(id)
				s.Status, s.Retry = stacks.StatusSyncing, stacks.Retry{}
				return s
			},
		} {
			t.Run(code+", known "+name, func(t *testing.T) {
				y := openYard(t)
				id := y.failedByHand(code)
				if y.pollsHead(id, "c2", known(y, id)) {
					t.Fatalf("it is deployed again: %s", y.states(id))
				}
				st := y.is(id, stacks.StatusError, "it did not work")
				if reasons := y.reasons(id); !st.Stands() || !st.OutOfSync || st.SeenTree != "tree of c2" || !strings.Contains(reasons[len(reasons)-1], "failed for what is in its files") {
					t.Errorf("the stack is %+v, and was decided on for %q", st, reasons)
				}
				if y.pollsHead(id, "c2", y.stack(id)) {
					t.Error("the next look deploys it")
				}
				if !y.pollsHead(id, "c3", y.stack(id)) {
					t.Error("the next commit is not deployed")
				}
			})
		}
	}
}

func TestWhatFailedByHandIsDeployedByPollingWhereThatMayHelp(t *testing.T) {
	for name, change := range map[string]func(*yard, core.StackID){
		"a variable is set": func(y *yard, id core.StackID) { y.variable(variables.OfStack(id), "PORT") },
		"the stack's folder moves": func(y *yard, id core.StackID) {
			path := "elsewhere"
			_, err := y.UpdateStack(y.t.Context(), id, stacks.Change{Path: &path}, someone)
			y.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.failedByHand("lint.failed")
			change(y, id)
			if !y.pollsHead(id, "c2", y.stack(id)) {
				t.Errorf("it is not deployed: %s", y.states(id))
			}
		})
	}
	t.Run("it was no fault of the files", func(t *testing.T) {
		y := openYard(t)
		if id := y.failedByHand("engine.image"); !y.pollsHead(id, "c2", y.stack(id)) {
			t.Errorf("it is not deployed: %s", y.states(id))
		}
	})
}
