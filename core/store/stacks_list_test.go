package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
)

func listedByNeed(y *yard, f stacks.Filter) [][]string {
	f.Order = stacks.OrderNeed
	return walk(y.t, func(ctx context.Context, p core.Page) (core.List[stacks.Stack], error) { return y.Stacks(ctx, f, p) },
		func(s stacks.Stack) string { return s.Name })
}

func TestStacksThatNeedSomebodyComeFirst(t *testing.T) {
	y := openYard(t)
	for name, set := range map[string]string{
		"a-well":       `status = 'active'`,
		"b-behind":     `status = 'active', out_of_sync = 1`,
		"c-paused":     `status = 'paused', out_of_sync = 1`,
		"d-error":      `status = 'error', drifted = 1`,
		"e-quarantine": `status = 'active', quarantine = '{"Tree":"t1"}', out_of_sync = 1`,
		"f-waits":      `status = 'pending', out_of_sync = 1`,
		"g-works":      `status = 'syncing', drifted = 1`,
		"h-new":        `status = 'new'`,
		"i-degraded":   `status = 'degraded'`,
		"j-error":      `status = 'error'`,
		"k-goes":       `status = 'error', deleting = 1`,
		"l-drifted":    `status = 'active', drifted = 1`,
		"m-well":       `status = 'active'`,
	} {
		y.exec(t, `UPDATE stacks SET `+set+` WHERE id = ?`, y.add(name))
	}
	all := []string{"d-error", "j-error", "i-degraded", "e-quarantine", "l-drifted", "b-behind", "h-new", "f-waits", "g-works", "k-goes", "a-well", "c-paused", "m-well"}
	if got := slices.Concat(listedByNeed(y, stacks.Filter{})...); !slices.Equal(got, all) {
		t.Errorf("they come as %q\nwant %q", got, all)
	}
	if got := slices.Concat(listedByNeed(y, stacks.Filter{Search: "well"})...); !slices.Equal(got, []string{"a-well", "m-well"}) {
		t.Errorf("those that are searched for come as %q", got)
	}
	for _, order := range []stacks.Order{"", stacks.OrderName} {
		list, err := y.Stacks(t.Context(), stacks.Filter{Order: order}, core.Page{Limit: 2})
		if y.must(err); list.Items[0].Name != "a-well" || list.Next != "b-behind" {
			t.Errorf("by name the first is %s, and after %q it goes on", list.Items[0].Name, list.Next)
		}
	}
	list, err := y.Stacks(t.Context(), stacks.Filter{Order: stacks.OrderNeed}, core.Page{After: "b-behind", Limit: 1})
	if y.must(err); len(list.Items) != 1 || list.Items[0].Name != "d-error" {
		t.Errorf("behind the cursor of another order come %v", list.Items)
	}
}

func TestAStackThatCannotBeReadKeepsItsPlace(t *testing.T) {
	y := openYard(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		y.exec(t, `UPDATE stacks SET status = 'error' WHERE id = ?`, y.add(name))
	}
	y.exec(t, `UPDATE stacks SET worker_tags = '[' WHERE name IN ('a', 'b')`)
	first, err := y.Stacks(t.Context(), stacks.Filter{Order: stacks.OrderNeed}, core.Page{Limit: 2})
	if y.must(err); len(first.Items) != 0 || !slices.Equal(first.LeftOut, []string{"a", "b"}) {
		t.Errorf("the first page has %v and leaves out %q", first.Items, first.LeftOut)
	}
	rest, err := y.Stacks(t.Context(), stacks.Filter{Order: stacks.OrderNeed}, core.Page{After: first.Next, Limit: 2})
	if y.must(err); len(rest.Items) != 2 || rest.Items[0].Name != "c" || rest.Next != "" {
		t.Errorf("then come %v", rest)
	}
}

// A page of ten thousand stacks must not read and sort them all.
func TestThoseThatNeedSomebodyAreFoundByIndex(t *testing.T) {
	if onPostgres {
		return // whose plans go by how many rows there are
	}
	y := openYard(t)
	listedByNeed(y, stacks.Filter{})
	db, clean, err := emptyDatabase()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	looked := 0
	for _, query := range overheard.with(" AS need, ") {
		plan, err := planOf(db, query)
		if looked++; err != nil || len(plan) != 1 || !strings.Contains(plan[0], "USING INDEX stacks_need") {
			t.Errorf("%v: %q for %s", err, plan, query)
		}
	}
	if looked == 0 {
		t.Error("the statement was not heard")
	}
}
