package variables_test

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/variables"
)

func TestBindToReachesExactlyTheseStacks(t *testing.T) {
	r := open(t)
	first, second, third := r.stack, r.addStack(t, "api"), r.addStack(t, "blog")
	g := r.add(t, variables.Draft{Owner: variables.Global, Name: "TZ", Value: "UTC"})
	other := r.add(t, variables.Draft{Owner: variables.Global, Name: "OTHER", Value: "1"})
	if _, err := r.Bind(t.Context(), variables.OfStack(second), []core.VariableID{other.ID}, ada); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]core.StackID{{first, second}, {second, third}, {second, third}, nil, {third}} {
		if err := r.BindTo(t.Context(), g.ID, append(want, want...), ada); err != nil {
			t.Fatal(err)
		}
		got, err := r.Stacks(t.Context(), g.ID)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("it reaches %v, %v; want %v", got, err, want)
		}
		reach, err := r.Reach(t.Context())
		if err != nil || reach[g.ID] != (variables.Reach{Stacks: len(want)}) || reach[other.ID] != (variables.Reach{Stacks: 1}) {
			t.Errorf("the reach is %v, %v", reach, err)
		}
	}
	if n := r.count(t, `SELECT COUNT(*) FROM audit_events WHERE action = 'variable.bind'`); n != 1+2+2+0+2+1 {
		t.Errorf("%d changes were audited", n)
	}
}

func TestBindToRefuses(t *testing.T) {
	r := open(t)
	own := r.add(t, variables.Draft{Owner: variables.OfStack(r.stack), Name: "OWN", Value: "1"})
	g := r.add(t, variables.Draft{Owner: variables.Global, Name: "G", Value: "1"})
	for name, c := range map[string]struct {
		id    core.VariableID
		stack core.StackID
		code  string
	}{
		"a variable of a stack": {own.ID, r.stack, "variable.not_found"},
		"no variable":           {"var_none", r.stack, "variable.not_found"},
		"no stack":              {g.ID, "stk_none", "input.reference"},
	} {
		if err := r.BindTo(t.Context(), c.id, []core.StackID{c.stack}, ada); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if reach, err := r.Reach(t.Context()); err != nil || len(reach) != 0 {
		t.Errorf("something was bound: %v, %v", reach, err)
	}
}
