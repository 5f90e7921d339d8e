package store_test

import (
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// One row that cannot be read holds up what it is about and nothing else.
func TestABadRowDoesNotStopTheOthers(t *testing.T) {
	for name, spoil := range map[string]string{
		"a stack's drift":        `UPDATE stacks SET drift = '[' WHERE id = ?`,
		"a stack's containers":   `UPDATE stacks SET containers = 'x' WHERE id = ?`,
		"a stack's quarantine":   `UPDATE stacks SET quarantine = '' WHERE id = ?`,
		"a revision's services":  `UPDATE revisions SET services = '{' WHERE stack_id = ?`,
		"a revision's manifest":  `UPDATE revisions SET manifest = '[]' WHERE stack_id = ?`,
		"a deployment's options": `UPDATE deployments SET options = '{' WHERE stack_id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			bad, good := y.deployed("a-bad", "c1"), y.deployed("b-good", "c1")
			y.exec(t, spoil, bad)

			all, err := y.StacksOfRepository(t.Context(), "rep_1")
			if n := slices.IndexFunc(all, func(s stacks.Stack) bool { return s.ID == good }); n < 0 || err != nil && fault.CodeOf(err) != "store.unreadable" {
				t.Errorf("of the repository there are %+v, %v", all, err)
			}
			changed, err := y.SaveObserved(t.Context(), y.w.ID, []stacks.Observation{{Stack: bad, Containers: stopped}, {Stack: good, Containers: stopped}}, true, y.tick())
			if err != nil || !slices.Contains(changed, good) {
				t.Errorf("of what was observed %v was stored, %v", changed, err)
			}
			y.is(good, stacks.StatusDegraded, "web")

			y.exec(t, `UPDATE stacks SET retry_at = 1`)
			if n, err := y.QueueRetries(t.Context()); err != nil || n < 1 {
				t.Errorf("%d retries are queued, %v", n, err)
			}
			y.onlyQueued(good)
			y.exec(t, `UPDATE stacks SET heal_at = 1, drifted = 1`)
			if n, err := y.QueueHeals(t.Context()); err != nil || n < 1 {
				t.Errorf("%d repairs are queued, %v", n, err)
			}
			y.onlyQueued(good)
			y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(bad, "c2"), polled(good, "c2")}))
			y.onlyQueued(good)
			y.at = y.at.Add(time.Minute)
			y.prune()
		})
	}
}

var stopped = []stacks.ContainerState{{Service: "web", Container: "web-1", State: "exited", ExitCode: 1}}

// onlyQueued checks that a stack has a deployment that is queued, and takes away those that there are.
func (y *yard) onlyQueued(id core.StackID) {
	y.t.Helper()
	if n := y.count(y.t, `SELECT count(*) FROM deployments WHERE stack_id = ? AND state = 'queued'`, id); n != 1 {
		y.t.Errorf("%d deployments of the good one are queued", n)
	}
	y.exec(y.t, `DELETE FROM deployments WHERE state = 'queued'`)
}

func TestWhatABadRevisionWatchesIsNotGuessed(t *testing.T) {
	y := openYard(t)
	bad, good := y.deployed("a-bad", "c1"), y.deployed("b-good", "c1")
	y.exec(t, `UPDATE revisions SET watch = '["shared"]'`)
	y.exec(t, `UPDATE revisions SET watch = '[' WHERE stack_id = ?`, bad)
	watched, err := y.Watched(t.Context(), "rep_1")
	paths, known := watched[bad]
	if fault.CodeOf(err) != "store.unreadable" || !known || paths != nil || !slices.Equal(watched[good], []string{"shared"}) {
		t.Errorf("watched is %v, %v", watched, err)
	}
}

// Pages of a list go on behind a row that cannot be read, and name it.
func TestPagesLeaveOutWhatCannotBeRead(t *testing.T) {
	y := openYard(t)
	var ids []core.StackID
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		ids = append(ids, y.deployed(name, "c1"))
	}
	for _, i := range []int{1, 2, 4} {
		y.exec(t, `UPDATE stacks SET drift = '[' WHERE id = ?`, ids[i])
		y.exec(t, `UPDATE deployments SET phases = '{' WHERE stack_id = ?`, ids[i])
	}
	var read, out []string
	for ask := (core.Page{Limit: 2}); ; {
		list, err := y.Stacks(t.Context(), stacks.Filter{}, ask)
		y.must(err)
		for _, st := range list.Items {
			read = append(read, st.Name)
		}
		out = append(out, list.LeftOut...)
		if list.Next == "" {
			break
		}
		ask.After = list.Next
	}
	if !slices.Equal(read, []string{"a", "d"}) || !slices.Equal(out, []string{"b", "c", "e"}) {
		t.Errorf("the pages have %q and leave out %q", read, out)
	}
	list, err := y.Deployments(t.Context(), stacks.DeploymentFilter{}, core.Page{Limit: core.MaxPage})
	if err != nil || len(list.Items) != 2 || len(list.LeftOut) != 3 || list.Next != "" {
		t.Errorf("deployments are %d and %q left out, %v", len(list.Items), list.LeftOut, err)
	}
	for _, id := range list.LeftOut {
		if n := y.count(t, `SELECT count(*) FROM deployments WHERE id = ? AND phases = '{'`, id); n != 1 {
			t.Errorf("%q was left out", id)
		}
	}
}
