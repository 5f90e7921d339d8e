package store_test

import (
	"fmt"
	"slices"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/store"
)

// numbers are those of a stack's revisions, oldest first.
func (y *yard) numbers(id core.StackID) (all []int) {
	y.t.Helper()
	for n := 1; n <= y.count(y.t, `SELECT coalesce(max(number), 0) FROM revisions WHERE stack_id = ?`, id); n++ {
		if y.count(y.t, `SELECT count(*) FROM revisions WHERE stack_id = ? AND number = ?`, id, n) == 1 {
			all = append(all, n)
		}
	}
	return all
}

func TestPruneKeepsTheRevisionsThatSomethingNames(t *testing.T) {
	const made = 60
	newest := func(more ...int) []int {
		for n := made - store.KeptRevisions + 1; n <= made; n++ {
			more = append(more, n)
		}
		return more
	}
	for name, c := range map[string]struct {
		prepare func(y *yard, id core.StackID)
		want    []int
	}{
		"nothing": {func(*yard, core.StackID) {}, newest()},
		"the stack": {func(y *yard, id core.StackID) { y.exec(t, `UPDATE stacks SET revision = 7 WHERE id = ?`, id) },
			newest(7)},
		"its containers": {func(y *yard, id core.StackID) {
			y.exec(t, `UPDATE stacks SET containers = '[{"service":"web","revision":3},{"service":"db","revision":11}]' WHERE id = ?`, id)
		}, newest(3, 11)},
		"what is tried again": {func(y *yard, id core.StackID) {
			y.exec(t, `UPDATE stacks SET retry = '{"aim":{"revision":5}}', retry_at = 9000000000000000 WHERE id = ?`, id)
		}, newest(5)},
		"the last deployment": {func(y *yard, id core.StackID) {
			d := y.start(y.queue(wish(id)))
			y.exec(t, `UPDATE deployments SET revision = 9 WHERE id = ?`, d.ID)
			y.end(d.ID, stacks.DeploymentFailed)
		}, newest(9)},
		"what a queued deployment aims at": {func(y *yard, id core.StackID) {
			ask := wish(id)
			ask.Trigger, ask.Aim = stacks.TriggerRollback, stacks.Aim{Revision: 4}
			y.queue(ask)
		}, newest(4)},
		"what a running deployment puts back": {func(y *yard, id core.StackID) {
			d := y.start(y.queue(wish(id)))
			y.exec(t, `UPDATE deployments SET revision = 60, restore = '{"revision":6,"state":"running"}' WHERE id = ?`, d.ID)
		}, newest(6)},
		"an open command": {func(y *yard, id core.StackID) {
			y.exec(t, `INSERT INTO commands (id, attempt, worker_id, kind, stack_id, deployment_id, state, epoch, body, deadline_at, created_at, ended_at)
				VALUES ('cmd_1', 1, 'wrk_1', 'deploy', ?, '', 'sent', 0, '{"revision":8}', 0, 0, 0), ('cmd_2', 1, 'wrk_1', 'deploy', ?, '', 'failed', 0, '{"revision":2}', 0, 0, 1)`, id, id)
		}, newest(8)},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id, other := y.add("web"), y.add("other")
			for _, stack := range []core.StackID{id, other} {
				n := made
				if stack == other {
					n = store.KeptRevisions
				}
				y.revisions(stack, n)
			}
			c.prepare(y, id)
			if rounds := y.prune(); rounds < 2 {
				t.Errorf("%d revisions went in %d round", made, rounds)
			}
			if got := y.numbers(id); !slices.Equal(got, c.want) {
				t.Errorf("kept are %v\nwant %v", got, c.want)
			}
			if got := y.numbers(other); len(got) != store.KeptRevisions {
				t.Errorf("of another stack %d are kept", len(got))
			}
		})
	}
}

// revisions makes so many of a stack.
func (y *yard) revisions(id core.StackID, n int) {
	y.t.Helper()
	y.exec(y.t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO revisions (stack_id, number, commit_hash, digest, manifest, services, content, variables, watch, created_at)
		SELECT ?, i, 'c', printf('digest %d', i), '{}', '[]', printf('[{"digest":"d%d","files":[{"digest":"f%d"}]}]', i, i), '[]', '[]', 0 FROM n`, n, id)
}

func TestPruneLooksAtEveryStack(t *testing.T) {
	y := openYard(t)
	const n = 120 // more than one transaction looks at
	var ids []core.StackID
	for i := range n {
		ids = append(ids, y.add(fmt.Sprint("stack-", i)))
		if i%7 == 0 {
			y.revisions(ids[i], store.KeptRevisions+3)
		}
	}
	for range 2 { // the second pass begins anew
		y.prune()
		for i, id := range ids {
			if want := store.KeptRevisions; i%7 == 0 && len(y.numbers(id)) != want {
				t.Errorf("stack %d has %d revisions", i, len(y.numbers(id)))
			}
		}
		y.exec(t, `DELETE FROM revisions WHERE stack_id = ?`, ids[0])
		y.revisions(ids[0], store.KeptRevisions+1)
	}
}

func TestKeptRevisionsAreWalked(t *testing.T) {
	y := openYard(t)
	a, b := y.add("a"), y.add("b")
	y.revisions(a, 3)
	y.revisions(b, 2)
	y.exec(t, `UPDATE revisions SET content = '[{' WHERE stack_id = ? AND number = 3`, a)
	got := ""
	stack, number := core.StackID(""), 0
	for {
		some, err := y.KeptRevisions(t.Context(), stack, number, 2)
		y.must(err)
		if len(some) == 0 {
			break
		}
		for _, r := range some {
			stack, number = r.Stack, r.Number
			if r.Illegible {
				got += fmt.Sprintf("%s %d ?|", y.stack(stack).Name, number)
				continue
			}
			got += fmt.Sprintf("%s %d %s|", y.stack(stack).Name, number, r.Content[0].Files[0].Digest)
		}
	}
	if want := "a 1 f1|a 2 f2|a 3 ?|b 1 f1|b 2 f2|"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
