package variables_test

import (
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/variables"
)

func TestStackSeesItsOwnBeforeBoundGlobals(t *testing.T) {
	r := open(t)
	other := r.addStack(t, "other")
	own, global := variables.OfStack(r.stack), variables.Global
	bound := r.add(t, variables.Draft{Owner: global, Name: "BOUND", Value: "global"})
	both := r.add(t, variables.Draft{Owner: global, Name: "BOTH", Value: "global"})
	swapped := r.secret(t, global, "SWAPPED", "global-secret")
	hidden := r.secret(t, global, "HIDDEN", "global-hidden")
	r.add(t, variables.Draft{Owner: global, Name: "UNBOUND", Value: "global"})
	r.add(t, variables.Draft{Owner: own, Name: "BOTH", Value: "own"})
	r.add(t, variables.Draft{Owner: own, Name: "SWAPPED", Value: "plain"})
	r.secret(t, own, "OWN_SECRET", "own-secret")
	r.add(t, variables.Draft{Owner: variables.OfStack(other), Name: "FOREIGN", Value: "x"})
	got, err := r.Bind(t.Context(), own, []core.VariableID{hidden.ID, bound.ID, both.ID, swapped.ID, bound.ID}, ada)
	if err != nil || len(got) != 4 || got[0].Name != "BOTH" || got[3].Name != "SWAPPED" {
		t.Fatalf("bound %v, %v", got, err)
	}
	seen, err := r.ForRendering(t.Context(), r.stack)
	if err != nil {
		t.Fatal(err)
	}
	want := []core.ComposeVariable{{Name: "BOTH", Value: "own"}, {Name: "BOUND", Value: "global"}, {Name: "HIDDEN", Secret: true},
		{Name: "OWN_SECRET", Secret: true}, {Name: "SWAPPED", Value: "plain"}}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("the stack sees %v, want %v", seen, want)
	}
	values, err := r.Secrets(t.Context(), r.stack, []string{"HIDDEN", "OWN_SECRET"})
	if err != nil || len(values) != 2 || values["HIDDEN"].Reveal() != "global-hidden" || values["OWN_SECRET"].Reveal() != "own-secret" {
		t.Errorf("secrets %v, %v", values, err)
	}
	if seen, err := r.ForRendering(t.Context(), other); err != nil || len(seen) != 1 {
		t.Errorf("the other stack sees %v, %v", seen, err)
	}
}

func TestBindReplacesAndRefuses(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	a := r.add(t, variables.Draft{Owner: variables.Global, Name: "A"})
	b := r.add(t, variables.Draft{Owner: variables.Global, Name: "B"})
	mine := r.add(t, variables.Draft{Owner: own, Name: "MINE"})
	for _, ids := range [][]core.VariableID{{a.ID}, {b.ID}, {}, {a.ID, b.ID}} {
		got, err := r.Bind(t.Context(), own, ids, ada)
		if err != nil || len(got) != len(ids) {
			t.Fatalf("%v became %v, %v", ids, got, err)
		}
	}
	cases := map[string]struct {
		owner      variables.Owner
		ids        []core.VariableID
		code, says string
	}{
		"a variable of a stack": {own, []core.VariableID{a.ID, mine.ID}, "input.reference", "names no global variable"},
		"an unknown variable":   {own, []core.VariableID{"var_none"}, "input.reference", "names no global variable"},
		"an unknown stack":      {variables.OfStack("stk_none"), nil, "input.reference", "names no stack"},
		"global":                {variables.Global, nil, "variable.invalid_binding", "scope"},
		"too many":              {own, make([]core.VariableID, variables.MaxPerScope+1), "variable.invalid_binding", "at most"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Bind(t.Context(), c.owner, c.ids, ada)
			wantFault(t, err, c.code, c.says)
		})
	}
	if got, err := r.Bound(t.Context(), own); err != nil || len(got) != 2 {
		t.Errorf("refusals left %v, %v", got, err)
	}
	_, err := r.Bound(t.Context(), variables.OfStack("stk_none"))
	wantFault(t, err, "input.reference", "names no stack")
}

func TestSecretsAreGivenAllOrNone(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	good := r.secret(t, own, "GOOD", "canary-good")
	moved := r.secret(t, own, "MOVED", "canary-moved")
	r.add(t, variables.Draft{Owner: own, Name: "PLAIN", Value: "x"})
	external := variables.Stored{Variable: variables.Variable{ID: "var_ext", Owner: own, Name: "EXTERNAL", Secret: true, Provider: secrets.Vault, Reference: "kv/data/a#b"}}
	if _, err := r.store.AddVariable(t.Context(), external, ada.Audit("variable.create", "var_ext", "")); err != nil {
		t.Fatal(err)
	}
	// A blob that is moved to another row must not open there.
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE variables SET sealed = (SELECT sealed FROM variables WHERE id = ?) WHERE id = ?`, good.ID, moved.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.raw.ExecContext(t.Context(), `INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, created_at, updated_at)
		VALUES ('var_void', 'stack', ?, 'VOID', 1, 'internal', '', '', 0, 0)`, r.stack); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		names []string
		code  string
		says  []string
	}{
		"a provider that is not enabled": {[]string{"GOOD", "EXTERNAL"}, "secret.unresolved", []string{"provider vault", "EXTERNAL", "not enabled"}},
		"a blob from elsewhere":          {[]string{"GOOD", "MOVED"}, "secret.unresolved", []string{"provider internal", "MOVED", "enter it again"}},
		"no value":                       {[]string{"VOID", "GOOD"}, "secret.unresolved", []string{"provider internal", "VOID has no value"}},
		"all that can go wrong":          {[]string{"MOVED", "VOID", "EXTERNAL"}, "secret.unresolved", []string{"internal", "vault", "MOVED, VOID"}},
		"no secret any more":             {[]string{"GOOD", "PLAIN", "GONE"}, "variable.changed", []string{"PLAIN, GONE"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := r.Secrets(t.Context(), r.stack, c.names)
			if got != nil {
				t.Errorf("it gave %v", got)
			}
			for _, text := range c.says {
				wantFault(t, err, c.code, text)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("%v shows a value", err)
			}
		})
	}
	if got, err := r.Secrets(t.Context(), r.stack, nil); err != nil || len(got) != 0 {
		t.Errorf("no names gave %v, %v", got, err)
	}
	if got := r.reveal(t, "GOOD"); got != "canary-good" {
		t.Errorf("GOOD is %q", got)
	}
}

func TestFingerprintTellsValuesApart(t *testing.T) {
	r := open(t)
	one := r.Fingerprint("A", secrets.NewValue("hunter2"))
	if one != r.Fingerprint("A", secrets.NewValue("hunter2")) {
		t.Error("one value has two fingerprints")
	}
	if one == r.Fingerprint("A", secrets.NewValue("hunter3")) || one == r.Fingerprint("B", secrets.NewValue("hunter2")) {
		t.Error("two values have one fingerprint")
	}
	if strings.Contains(one, "hunter2") || one == "" {
		t.Errorf("the fingerprint is %q", one)
	}
}

// A secret's value is in no row, file, error or list, whatever was done with it.
func TestSecretsStayOutOfTheDatabase(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	canaries := []string{"canary-created-7f3a", "canary-updated-81bc", "canary-imported-55d0", "canary-covered-0a9e", "canary-refused-c44d"}
	v := r.secret(t, own, "CREATED", canaries[0])
	if _, err := r.Update(t.Context(), v.ID, variables.Change{Value: &canaries[1]}, ada); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Import(t.Context(), own, "CREATED='"+canaries[2]+"'\nIMPORTED="+canaries[2]+"\n", true, ada); err != nil {
		t.Fatal(err)
	}
	plain := r.add(t, variables.Draft{Owner: own, Name: "COVERED", Value: canaries[3]})
	if !r.onDisk(t, canaries[3]) {
		t.Fatal("looking for a plain value finds nothing, so that looking proves nothing")
	}
	if _, err := r.Update(t.Context(), plain.ID, variables.Change{Secret: ptr(true)}, ada); err != nil {
		t.Fatal(err)
	}
	_, err := r.Create(t.Context(), variables.Draft{Owner: own, Name: "CREATED", Value: canaries[4], Secret: true}, ada)
	if fault.KindOf(err) != fault.Conflict {
		t.Fatal(err)
	}
	list, err := r.Variables(t.Context(), variables.Filter{}, core.Page{Limit: 100})
	if err != nil || len(list.Items) != 3 {
		t.Fatal(list, err)
	}
	text, err := r.Export(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	for _, canary := range canaries {
		if r.onDisk(t, canary) {
			t.Errorf("%s is on disk", canary)
		}
		if shown := fmt.Sprintf("%+v %#v %s", list, list, text); strings.Contains(shown, canary) {
			t.Errorf("%s is shown by %s", canary, shown)
		}
	}
	if got := r.reveal(t, "IMPORTED"); got != canaries[2] {
		t.Errorf("IMPORTED is %q", got)
	}
}
