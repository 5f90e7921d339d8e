package store_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/store"
)

func seen(id core.StackID, commit core.Commit, v stacks.Verdict) stacks.Seen {
	return stacks.Seen{Stack: id, Sight: stacks.Sight{Commit: commit, Tree: "t", Trigger: stacks.TriggerPoll}, Verdict: v}
}

func TestRecordSeen(t *testing.T) {
	y := openYard(t)
	id, other := y.deployed("web", "c1"), y.deployed("blog", "c1")
	before := y.stack(other)
	rows := y.rows()
	y.must(y.RecordSeen(t.Context(), nil))
	if y.rows() != rows {
		t.Error("nothing was seen, and something was written")
	}
	y.tick()
	y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c2", stacks.Verdict{OutOfSync: true, Reason: "sync it by hand"})}))
	st := y.is(id, stacks.StatusActive, "")
	if st.Seen != "c2" || !st.OutOfSync || st.SeenTree != "tree of c1" || !reflect.DeepEqual(y.stack(other), before) {
		t.Errorf("the stack is %+v", st)
	}
	list, err := y.Decisions(t.Context(), id, core.Page{Limit: 1})
	y.must(err)
	if d := list.Items[0]; !reflect.DeepEqual(d, stacks.Decision{ID: d.ID, Stack: id, At: y.at, Trigger: stacks.TriggerPoll, Commit: "c2", Reason: "sync it by hand"}) {
		t.Errorf("the decision is %+v", d)
	}
}

// TestAVerdictOnAnOlderRow: polling read the stack while a deployment was at work, which ended before
// its verdict was stored. Nothing looks at that head again.
func TestAVerdictOnAnOlderRow(t *testing.T) {
	looked := func(y *yard, id core.StackID, commit core.Commit, tree string) stacks.Seen {
		sight := stacks.Sight{Commit: commit, Tree: tree, Trigger: stacks.TriggerPoll}
		return stacks.Seen{Stack: id, Sight: sight, Verdict: stacks.Decide(y.stack(id), sight)}
	}
	check := func(y *yard, id core.StackID, outOfSync bool, reason string) {
		t.Helper()
		st, since := y.stack(id), y.count(t, `SELECT out_of_sync_since FROM stacks WHERE id = ?`, string(id))
		if reasons := y.reasons(id); st.OutOfSync != outOfSync || since > 0 != outOfSync || st.Seen != "c3" || !strings.Contains(reasons[len(reasons)-1], reason) {
			t.Errorf("out of sync %v since %d at %s, %q; want %v, %q", st.OutOfSync, since, st.Seen, reasons, outOfSync, reason)
		}
	}
	for end, outOfSync := range map[stacks.DeploymentState]bool{stacks.DeploymentSucceeded: false, stacks.DeploymentFailed: true} {
		y := openYard(t)
		id := y.deployed("web", "c1")
		d := y.start(y.queue(polled(id, "c2")))
		y.send(d, "c2")
		same := looked(y, id, "c3", "tree of c2") // a commit that left the folder alone
		if !same.Verdict.OutOfSync || same.Verdict.Deploy {
			t.Fatalf("while it runs: %+v", same.Verdict)
		}
		y.end(d.ID, end)
		y.tick()
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{same}))
		check(y, id, outOfSync, "as it was at the last look")
	}
	t.Run("a wish of a person was quicker", func(t *testing.T) {
		y := openYard(t)
		id := y.deployed("web", "c1")
		y.exec(t, `UPDATE stacks SET auto_sync = 0`)
		newer := looked(y, id, "c3", "tree of c3")
		y.deploy(id, "c3")
		y.tick()
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{newer}))
		check(y, id, false, "as it was at the last look")
	})
	t.Run("what was deployed is older than what was seen", func(t *testing.T) {
		y := openYard(t)
		id := y.deployed("web", "c1")
		y.exec(t, `UPDATE stacks SET auto_sync = 0`)
		newer := looked(y, id, "c3", "tree of c3")
		y.deploy(id, "c2")
		y.tick()
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{newer}))
		check(y, id, true, "sync it by hand")
	})
}

func TestAProblemIsShownUntilItIsGone(t *testing.T) {
	problem := stacks.Verdict{OutOfSync: true, Problem: "no folder", Reason: "no folder"}
	t.Run("a stack that runs goes on running", func(t *testing.T) {
		y := openYard(t)
		id := y.deployed("web", "c1")
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c2", problem)}))
		y.is(id, stacks.StatusActive, "no folder")
		_, err := y.SaveObserved(t.Context(), y.w.ID, []stacks.Observation{{Stack: id, Containers: healthy}}, true, y.tick())
		y.must(err)
		y.is(id, stacks.StatusActive, "no folder") // what a worker sees says nothing about the repository
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c3", stacks.Verdict{Reason: "nothing changed"})}))
		y.is(id, stacks.StatusActive, "")
	})
	t.Run("a stack that was never deployed is in error", func(t *testing.T) {
		y := openYard(t)
		id := y.add("web")
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c2", problem)}))
		y.is(id, stacks.StatusError, "no folder")
		y.deploy(id, "c3")
		y.is(id, stacks.StatusActive, "")
	})
	t.Run("a failure is not taken back by polling", func(t *testing.T) {
		y := openYard(t)
		id := y.deployed("web", "c1")
		y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed)
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c2", stacks.Verdict{OutOfSync: true, Reason: "nothing changed"})}))
		y.is(id, stacks.StatusError, "it did not work")
	})
}

func TestDecisionsAreBounded(t *testing.T) {
	y := openYard(t)
	id, other := y.add("web"), y.add("blog")
	y.queue(wish(other))
	y.tick()
	var all []stacks.Seen
	for i := range store.KeptDecisions {
		all = append(all, seen(id, core.Commit(fmt.Sprint("c", i)), stacks.Verdict{Reason: fmt.Sprint("reason ", i)}))
		if len(all) == 50 {
			y.must(y.RecordSeen(t.Context(), all))
			y.tick()
			all = nil
		}
	}
	if n := len(y.reasons(id)); n != store.KeptDecisions {
		t.Errorf("%d decisions are kept, want %d", n, store.KeptDecisions)
	}
	for i := range 5 {
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{seen(id, "c", stacks.Verdict{Reason: fmt.Sprint("late ", i)})}))
		y.tick()
	}
	reasons := y.reasons(id)
	if len(reasons) != store.KeptDecisions || reasons[len(reasons)-1] != "late 4" || reasons[len(reasons)-5] != "late 0" {
		t.Errorf("%d decisions are kept, the last are %q", len(reasons), reasons[len(reasons)-5:])
	}
	if n := len(y.reasons(other)); n != 1 {
		t.Errorf("another stack has %d decisions", n)
	}
}
