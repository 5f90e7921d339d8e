package variables_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/secrets"
	"berth/core/variables"
)

func TestImportIsAllOrNothing(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	r.add(t, variables.Draft{Owner: own, Name: "OLD", Value: "1"})
	r.secret(t, own, "HELD", "held")
	external := variables.Stored{Variable: variables.Variable{ID: "var_ext", Owner: own, Name: "EXTERNAL", Secret: true, Provider: secrets.Vault, Reference: "kv/data/a#b"}}
	if _, err := r.store.AddVariable(t.Context(), external, ada.Audit("variable.create", "var_ext", "")); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		owner      variables.Owner
		text       string
		secret     bool
		code, says string
	}{
		"a quote that stays open":    {own, "A=1\nB='hunter2\n", false, "variable.invalid_text", "line 2: the quote"},
		"a bad name":                 {own, "A=1\n\nB-C=hunter2\n", false, "variable.invalid_text", "line 3: the name"},
		"the same name twice":        {own, "A=1\nB=2\nA=hunter2\n", false, "variable.invalid_text", "line 3: A is there already, at line 1"},
		"a NUL":                      {own, "A=hunter2\x00\n", false, "variable.invalid_text", "line 1: the value: contains a NUL"},
		"bytes that are no text":     {own, "A=hunter2\xff\n", false, "variable.invalid_text", "line 1: the value: not valid UTF-8"},
		"a value that is too large":  {own, "OLD=2\nA=" + strings.Repeat("x", variables.MaxValue+1), false, "variable.invalid_text", "line 2: the value: more than 64 KiB"},
		"an empty secret":            {own, "OLD=2\nNEW=\n", true, "variable.invalid_text", "line 2: NEW: value: is required"},
		"a value that lives outside": {own, "OLD=2\nEXTERNAL=hunter2\n", false, "variable.invalid_text", "line 2: EXTERNAL: The value of this secret lives"},
		"an unknown stack":           {variables.OfStack("stk_none"), "A=1\n", false, "input.reference", "names no stack"},
		"an unknown scope":           {variables.Owner{Scope: "host"}, "A=1\n", false, "variable.invalid", "scope"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			did, err := r.Import(t.Context(), c.owner, c.text, c.secret, ada)
			wantFault(t, err, c.code, c.says)
			if did != (variables.Imported{}) || err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%+v, %v", did, err)
			}
		})
	}
	if n := r.count(t, `SELECT count(*) FROM variables WHERE name NOT IN ('OLD', 'HELD', 'EXTERNAL') OR name = 'OLD' AND value <> '1'`); n != 0 {
		t.Errorf("%d variables were changed", n)
	}
}

func TestImportKeepsWhatIsSecret(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	r.add(t, variables.Draft{Owner: own, Name: "SAME", Value: "1"})
	r.add(t, variables.Draft{Owner: own, Name: "OLD", Value: "1"})
	r.secret(t, own, "KEPT", "kept")
	r.secret(t, own, "NEWER", "before")
	did, err := r.Import(t.Context(), own, "SAME=1\nOLD=2\nKEPT=\nNEWER='after\n'\nFRESH='a\nb'\n", false, ada)
	if err != nil || did != (variables.Imported{Created: 1, Updated: 2, Unchanged: 2}) {
		t.Fatalf("%+v, %v", did, err)
	}
	for name, want := range map[string]string{"KEPT": "kept", "NEWER": "after\n"} {
		if got := r.reveal(t, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	seen, err := r.ForRendering(t.Context(), r.stack)
	if err != nil || len(seen) != 5 || seen[0] != (core.ComposeVariable{Name: "FRESH", Value: "a\nb"}) || seen[3] != (core.ComposeVariable{Name: "OLD", Value: "2"}) {
		t.Errorf("%v, %v", seen, err)
	}
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE detail LIKE '%, imported'`); n != 3 {
		t.Errorf("%d audit events, want one for each of the three that changed", n)
	}
}

func TestExportCanBeImportedAgain(t *testing.T) {
	r := open(t)
	own := variables.OfStack(r.stack)
	r.add(t, variables.Draft{Owner: own, Name: "KEY", Value: "-----BEGIN-----\nit's\n-----END-----\n"})
	r.add(t, variables.Draft{Owner: own, Name: "A", Value: "plain"})
	r.secret(t, own, "HELD", "held")
	text, err := r.Export(t.Context(), own)
	const want = "A=plain\n# secret: its value is not exported\nHELD=\nKEY='-----BEGIN-----\nit'\\''s\n-----END-----\n'\n"
	if err != nil || text != want {
		t.Fatalf("exported %q, %v; want %q", text, err, want)
	}
	did, err := r.Import(t.Context(), own, text, false, ada)
	if err != nil || did != (variables.Imported{Unchanged: 3}) {
		t.Errorf("importing it again did %+v, %v", did, err)
	}
	if got := r.reveal(t, "HELD"); got != "held" {
		t.Errorf("HELD is %q", got)
	}
	_, err = r.Export(t.Context(), variables.OfStack("stk_none"))
	wantFault(t, err, "input.reference", "names no stack")
	_, err = r.Export(t.Context(), variables.Owner{Scope: "host"})
	wantFault(t, err, "variable.invalid", "scope")
}
