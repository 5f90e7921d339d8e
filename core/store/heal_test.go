package store_test

import (
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// drifting makes a stack whose manifest asks for repair, and whose container somebody removed.
func (y *yard) drifting(selfHeal bool) core.StackID {
	y.t.Helper()
	id := y.deployed("web", "c1")
	m := stacks.DefaultManifest()
	m.SelfHeal = selfHeal
	y.manifest(id, 1, m)
	y.saw(true, nil, id)
	return id
}

func TestDriftIsNamedAndGoesAway(t *testing.T) {
	y := openYard(t)
	id := y.drifting(false)
	st := y.is(id, stacks.StatusDegraded, "compose service web has no container")
	if !st.Drifted || len(st.Drift) != 1 || st.Drift[0].Kind != stacks.DifferenceMissing || !st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}
	changed := []stacks.ContainerState{{Service: "web", Container: "web-1", State: "running", Changed: []string{"memory limit"}}}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: changed}}, id)
	if st := y.is(id, stacks.StatusDegraded, "memory limit"); !st.Drifted || st.Drift[0].Kind != stacks.DifferenceChanged {
		t.Errorf("the stack is %+v", st)
	}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: healthy}}, id)
	if st := y.is(id, stacks.StatusActive, ""); st.Drifted || len(st.Drift) != 0 {
		t.Errorf("the stack is %+v", st)
	}
}

func TestADeploymentAtWorkIsNoDrift(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	d := y.start(y.queue(wish(id)))
	y.send(d, "c2")
	y.saw(true, nil, id)
	if st := y.is(id, stacks.StatusSyncing, ""); st.Drifted {
		t.Errorf("the stack is %+v", st)
	}
}

func TestDriftIsRepairedWithGrowingPauses(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	for heals, pause := range []time.Duration{stacks.HealAfter(0), stacks.HealAfter(1), stacks.HealAfter(2)} {
		st := y.stack(id)
		if want := y.at.Add(pause); st.HealAt != want || st.Heals != heals {
			t.Fatalf("repair %d is at %v, after %d; want %v", heals, st.HealAt, st.Heals, want)
		}
		if n, err := y.QueueHeals(t.Context()); n != 0 || err != nil {
			t.Fatalf("repaired too early: %d, %v", n, err)
		}
		y.at = st.HealAt
		if n, err := y.QueueHeals(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
		all := y.history(id)
		d := all[len(all)-1]
		if d.Trigger != stacks.TriggerDrift || d.Aim.Revision != 1 || d.Actor != "system" {
			t.Fatalf("the repair is %+v", d)
		}
		if n, err := y.QueueHeals(t.Context()); n != 0 || err != nil {
			t.Fatalf("repaired twice: %d, %v", n, err)
		}
		d = y.start(d)
		y.resend(d, 1, y.w.ID)
		y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
		if st := y.is(id, stacks.StatusActive, ""); st.Drifted || st.OutOfSync {
			t.Fatalf("the stack is %+v", st)
		}
		y.saw(true, nil, id)
	}
	if reasons := y.reasons(id); !strings.Contains(strings.Join(reasons, "\n"), "drift is repaired: compose service web has no container") {
		t.Errorf("decisions are %q", reasons)
	}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: healthy}}, id)
	y.at = y.at.Add(2 * stacks.HealRest)
	y.saw(true, nil, id)
	if st := y.stack(id); st.Heals != 0 || st.HealAt != y.at.Add(stacks.HealAfter(0)) {
		t.Errorf("after a rest: %d repairs, next at %v", st.Heals, st.HealAt)
	}
}

func TestNothingIsRepairedAgainstAPersonsWill(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	_, err := y.PauseStack(t.Context(), id, someone)
	y.must(err)
	y.saw(false, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{{Service: "web", Container: "web-1", State: "running", Changed: []string{"image"}}}}}, id)
	if st := y.stack(id); !st.Drifted || !st.HealAt.IsZero() {
		t.Errorf("paused, the stack is %+v", st)
	}
	y.at = y.at.Add(stacks.HealRest)
	if n, err := y.QueueHeals(t.Context()); n != 0 || err != nil {
		t.Errorf("paused: %d, %v", n, err)
	}
	_, err = y.ResumeStack(t.Context(), id, someone)
	y.must(err)
	y.at = y.at.Add(stacks.HealAfter(0))
	if n, err := y.QueueHeals(t.Context()); n != 1 || err != nil {
		t.Errorf("after the pause: %d, %v", n, err)
	}
}

// What a person put beside the stack's containers is named; a repair would leave it there, so there is none.
func TestWhatAPersonPutBesideAStackIsNamedAndNotRepaired(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	theirs := stacks.ContainerState{Service: "web", Container: "mine", State: "exited", ExitCode: 1, Changed: []string{stacks.ChangedForeign}}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: append([]stacks.ContainerState{theirs}, healthy...)}}, id)
	st := y.is(id, stacks.StatusDegraded, "no stack made it")
	if len(st.Drift) != 1 || st.Drift[0].Kind != stacks.DifferenceExtra || st.Drift[0].Container != "mine" || !st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{theirs}}}, id)
	if st := y.stack(id); len(st.Drift) != 2 || st.HealAt.IsZero() {
		t.Errorf("without its own the stack is %+v", st)
	}
}

// What a person stopped through Berth stays so: it is shown, it is no drift, and nothing is repaired that
// would start it.
func TestWhatAPersonStoppedThroughBerthStaysStopped(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	halted := stacks.ContainerState{Service: "web", Container: "web-1", State: "exited", ExitCode: 137, Changed: []string{stacks.ChangedHalted}}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{halted}}}, id)
	if st := y.is(id, stacks.StatusDegraded, "compose service web was stopped through Berth"); st.Drifted || !st.HealAt.IsZero() {
		t.Errorf("the stack is %+v", st)
	}
	halted.Changed = append(halted.Changed, "memory limit")
	y.saw(false, []stacks.Observation{{Stack: id, Containers: []stacks.ContainerState{halted}}}, id)
	if st := y.stack(id); !st.Drifted || !st.HealAt.IsZero() {
		t.Errorf("changed as well, the stack is %+v", st)
	}
	y.saw(false, []stacks.Observation{{Stack: id, Containers: healthy}}, id)
	y.is(id, stacks.StatusActive, "")
}

// A repair puts the revision in place that came first with an earlier commit; the stack goes on telling of
// the later one.
func TestARepairLeavesTheCommit(t *testing.T) {
	y := openYard(t)
	id := y.drifting(true)
	y.exec(t, `UPDATE stacks SET commit_hash = 'c9' WHERE id = ?`, id)
	y.at = y.stack(id).HealAt
	if n, err := y.QueueHeals(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	all := y.history(id)
	d := y.start(all[len(all)-1])
	y.resend(d, 1, y.w.ID)
	y.end(d.ID, stacks.DeploymentSucceeded, observed(healthy...))
	if st := y.is(id, stacks.StatusActive, ""); st.Commit != "c9" || st.Revision != 1 {
		t.Errorf("the stack is %+v", st)
	}
}
