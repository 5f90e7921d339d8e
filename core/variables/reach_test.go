package variables_test

import (
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/variables"
)

func TestBindToReachesExactlyThese(t *testing.T) {
	r := open(t)
	first, second, third := r.stack, r.addStack(t, "api"), r.addStack(t, "blog")
	g := r.add(t, variables.Draft{Owner: variables.Global, Name: "TZ", Value: "UTC"})
	other := r.add(t, variables.Draft{Owner: variables.Global, Name: "OTHER", Value: "1"})
	if _, err := r.Bind(t.Context(), variables.OfStack(second), []core.VariableID{other.ID}, ada); err != nil {
		t.Fatal(err)
	}
	for _, stacks := range [][]core.StackID{{first, second}, {second, third}, {second, third}, nil, {third}} {
		var want []variables.Owner
		for _, id := range stacks {
			want = append(want, variables.OfStack(id))
		}
		if err := r.BindTo(t.Context(), g.ID, append(want, want...), ada); err != nil {
			t.Fatal(err)
		}
		got, err := r.Owners(t.Context(), g.ID)
		slices.SortFunc(want, func(a, b variables.Owner) int { return strings.Compare(a.ID, b.ID) })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("it reaches %v, %v; want %v", got, err, want)
		}
		reach, err := r.Reach(t.Context())
		if err != nil || reach[g.ID].Stacks != len(want) || reach[other.ID] != (variables.Reach{Stacks: 1}) {
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
		id   core.VariableID
		to   variables.Owner
		code string
	}{
		"a variable of a stack": {own.ID, variables.OfStack(r.stack), "variable.not_found"},
		"no variable":           {"var_none", variables.OfStack(r.stack), "variable.not_found"},
		"no stack":              {g.ID, variables.OfStack("stk_none"), "input.reference"},
		"no job":                {g.ID, variables.OfJob("job_none"), "input.reference"},
	} {
		if err := r.BindTo(t.Context(), c.id, []variables.Owner{c.to}, ada); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if reach, err := r.Reach(t.Context()); err != nil || len(reach) != 0 {
		t.Errorf("something was bound: %v, %v", reach, err)
	}
}
