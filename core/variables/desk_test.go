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

func TestPlainValuesAreKeptAsEntered(t *testing.T) {
	r := open(t)
	cases := map[string]string{
		"empty": "", "quotes": `'a' "b"`, "dollar": "$A ${B} $$", "backslash": `a\nb\`, "several lines": "one\n two\r\n\nthree\n",
		"spaces": "  a  ", "JSON": "{\n  \"k\": \"v\\n\"\n}", "other letters": "größe 値 🚢", "as large as allowed": strings.Repeat("x", variables.MaxValue),
	}
	for name, value := range cases {
		t.Run(name, func(t *testing.T) {
			created := r.add(t, variables.Draft{Owner: variables.OfStack(r.stack), Name: "V" + strings.ReplaceAll(name, " ", "_"), Value: value})
			list, err := r.Variables(t.Context(), variables.Filter{}, core.Page{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range list.Items {
				if v.ID == created.ID && (v.Value != value || v.HasValue != (value != "") || v.Secret || v.Provider != "") {
					t.Errorf("%q was kept as %+v", value, v)
				}
			}
		})
	}
	seen, err := r.ForRendering(t.Context(), r.stack)
	if err != nil || len(seen) != len(cases) {
		t.Fatalf("%d variables, %v", len(seen), err)
	}
}

func TestCreateRefuses(t *testing.T) {
	r := open(t)
	stack := variables.OfStack(r.stack)
	r.add(t, variables.Draft{Owner: stack, Name: "TAKEN", Value: "1"})
	cases := map[string]struct {
		draft      variables.Draft
		code, says string
	}{
		"a name that begins with a digit": {variables.Draft{Owner: stack, Name: "1A"}, "variable.invalid", "name: letters"},
		"a name with a line end":          {variables.Draft{Owner: stack, Name: "A\n"}, "variable.invalid", "name: letters"},
		"a name with a dash":              {variables.Draft{Owner: stack, Name: "A-B"}, "variable.invalid", "name: letters"},
		"a name that is too long":         {variables.Draft{Owner: stack, Name: strings.Repeat("A", 256)}, "variable.invalid", "name: letters"},
		"no name":                         {variables.Draft{Owner: stack}, "variable.invalid", "name: letters"},
		"a name that is taken":            {variables.Draft{Owner: stack, Name: "TAKEN"}, "variable.name_taken", "already"},
		"a value that is too large":       {variables.Draft{Owner: stack, Name: "A", Value: strings.Repeat("x", variables.MaxValue+1)}, "variable.invalid", "64 KiB"},
		"a NUL character":                 {variables.Draft{Owner: stack, Name: "A", Value: "hunter2\x00"}, "variable.invalid", "NUL"},
		"bytes that are no text":          {variables.Draft{Owner: stack, Name: "A", Value: "hunter2\xff"}, "variable.invalid", "UTF-8"},
		"an unknown scope":                {variables.Draft{Owner: variables.Owner{Scope: "host"}, Name: "A"}, "variable.invalid", "scope: must be"},
		"a global one with an owner":      {variables.Draft{Owner: variables.Owner{Scope: variables.ScopeGlobal, ID: "stk_1"}, Name: "A"}, "variable.invalid", "scope_id: must be left out"},
		"a stack's without stack":         {variables.Draft{Owner: variables.Owner{Scope: variables.ScopeStack}, Name: "A"}, "variable.invalid", "scope_id: is required"},
		"a stack that does not exist":     {variables.Draft{Owner: variables.OfStack("stk_none"), Name: "A"}, "input.reference", "names no stack"},
		"a job that does not exist":       {variables.Draft{Owner: variables.Owner{Scope: variables.ScopeJob, ID: "job_none"}, Name: "A"}, "input.reference", "names no job"},
		"a secret without value":          {variables.Draft{Owner: stack, Name: "A", Secret: true}, "variable.invalid", "value: is required"},
		"a provider without secret":       {variables.Draft{Owner: stack, Name: "A", Provider: secrets.Internal}, "variable.invalid", "secret_provider: is for secret"},
		"an unknown provider":             {variables.Draft{Owner: stack, Name: "A", Secret: true, Provider: "post-it"}, "variable.invalid", "internal, vault or manager"},
		"a reference without provider":    {variables.Draft{Owner: stack, Name: "A", Value: "v", Secret: true, Reference: "kv/data/a#b"}, "variable.invalid", "reference: is for"},
		"a vault that is not enabled": {variables.Draft{Owner: stack, Name: "A", Secret: true, Provider: secrets.Vault, Reference: "kv/data/a#b"},
			"variable.provider_disabled", "vault cannot be chosen: it is not enabled; enable it under Settings, Integrations"},
		"a manager that is not enabled": {variables.Draft{Owner: stack, Name: "A", Secret: true, Provider: secrets.Manager, Reference: "p/e/f#N"}, "variable.provider_disabled", "manager"},
		"a reference that is none":      {variables.Draft{Owner: stack, Name: "A", Secret: true, Provider: secrets.Vault, Reference: "kv/a"}, "variable.invalid", "reference: must be <mount>/data/<path>#<field>"},
		"a value with a reference":      {variables.Draft{Owner: stack, Name: "A", Value: "v", Secret: true, Provider: secrets.Vault, Reference: "kv/data/a#b"}, "variable.invalid", "value: must be left out"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := r.Create(t.Context(), c.draft, ada)
			wantFault(t, err, c.code, c.says)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v repeats the value", err)
			}
		})
	}
	if n := r.count(t, `SELECT count(*) FROM variables`); n != 1 {
		t.Errorf("%d variables are stored, want 1", n)
	}
	if n := r.count(t, `SELECT count(*) FROM audit_events WHERE action LIKE 'variable.%'`); n != 1 {
		t.Errorf("%d audit events, want 1: refusals change nothing", n)
	}
}

func TestOneScopeHoldsAsManyAsAllowed(t *testing.T) {
	r := open(t)
	var text strings.Builder
	for i := range variables.MaxPerScope {
		fmt.Fprintf(&text, "V%d=%d\n", i, i)
	}
	if _, err := r.Import(t.Context(), variables.Global, text.String(), false, ada); err != nil {
		t.Fatal(err)
	}
	_, err := r.Create(t.Context(), variables.Draft{Owner: variables.Global, Name: "ONE_MORE"}, ada)
	wantFault(t, err, "variable.limit", "more than 1000")
	_, err = r.Import(t.Context(), variables.Global, "ONE_MORE=1\n", false, ada)
	wantFault(t, err, "variable.limit", "more than 1000")
	if n := r.count(t, `SELECT count(*) FROM variables`); n != variables.MaxPerScope {
		t.Errorf("%d variables are stored", n)
	}
	r.add(t, variables.Draft{Owner: variables.OfStack(r.stack), Name: "ELSEWHERE", Value: "1"})
}

func TestUpdateFollowsTheRulesOfSecrets(t *testing.T) {
	cases := map[string]struct {
		secret  bool
		change  variables.Change
		code    string // empty: it is allowed
		want    string // the value afterwards
		becomes bool
		written bool
	}{
		"a plain value":                         {false, variables.Change{Value: ptr("new")}, "", "new", false, true},
		"a plain value, emptied":                {false, variables.Change{Value: ptr("")}, "", "", false, true},
		"a plain value, the same":               {false, variables.Change{Value: ptr("old")}, "", "old", false, false},
		"a secret":                              {true, variables.Change{Value: ptr("new")}, "", "new", true, true},
		"an empty value keeps a secret":         {true, variables.Change{Value: ptr("")}, "", "old", true, false},
		"an empty value keeps it while renamed": {true, variables.Change{Value: ptr(""), Name: ptr("NEW_NAME")}, "", "old", true, true},
		"naming the same provider":              {true, variables.Change{Value: ptr("new"), Secret: ptr(true), Provider: ptr("internal")}, "", "new", true, true},
		"another provider":                      {true, variables.Change{Provider: ptr("vault")}, "variable.provider_locked", "old", true, false},
		"no provider":                           {true, variables.Change{Provider: ptr("")}, "variable.provider_locked", "old", true, false},
		"uncovering a secret":                   {true, variables.Change{Secret: ptr(false)}, "variable.secret_locked", "old", true, false},
		"uncovering it with a new value":        {true, variables.Change{Secret: ptr(false), Value: ptr("new")}, "variable.secret_locked", "old", true, false},
		"covering a plain one":                  {false, variables.Change{Secret: ptr(true)}, "", "old", true, true},
		"covering it with an empty value":       {false, variables.Change{Secret: ptr(true), Value: ptr("")}, "", "old", true, true},
		"covering it with a new value":          {false, variables.Change{Secret: ptr(true), Value: ptr("new"), Provider: ptr("internal")}, "", "new", true, true},
		"covering it by another provider":       {false, variables.Change{Secret: ptr(true), Provider: ptr("vault")}, "variable.invalid", "old", false, false},
		"a provider for a plain one":            {false, variables.Change{Provider: ptr("internal")}, "variable.invalid", "old", false, false},
		"a bad name":                            {false, variables.Change{Name: ptr("a b")}, "variable.invalid", "old", false, false},
		"a bad value":                           {false, variables.Change{Value: ptr("\x00")}, "variable.invalid", "old", false, false},
		"a taken name":                          {true, variables.Change{Name: ptr("OTHER"), Value: ptr("new")}, "variable.name_taken", "old", true, false},
		"nothing":                               {true, variables.Change{}, "", "old", true, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			owner := variables.OfStack(r.stack)
			r.add(t, variables.Draft{Owner: owner, Name: "OTHER", Value: "x"})
			before := r.add(t, variables.Draft{Owner: owner, Name: "NAME", Value: "old", Secret: c.secret})
			_, err := r.Update(t.Context(), before.ID, c.change, ada)
			if c.code != fault.CodeOf(err) && (c.code != "" || err != nil) {
				t.Fatalf("got %v, want %q", err, c.code)
			}
			list, err := r.Variables(t.Context(), variables.Filter{Scope: variables.ScopeStack, ScopeID: string(r.stack)}, core.Page{Limit: 10})
			if err != nil || len(list.Items) != 2 {
				t.Fatal(list, err)
			}
			after := list.Items[1]
			value := after.Value
			if after.Secret {
				if value != "" {
					t.Errorf("the secret shows %q", value)
				}
				value = r.reveal(t, after.Name)
			}
			if after.ID != before.ID || value != c.want || after.Secret != c.becomes || after.HasValue != (c.want != "") {
				t.Errorf("afterwards it is %v with %q", after, value)
			}
			if written := r.count(t, `SELECT count(*) FROM audit_events WHERE action = 'variable.update'`) == 1; written != c.written || after.UpdatedAt.Equal(before.UpdatedAt) == c.written {
				t.Errorf("written is %v, updated from %s to %s", written, before.UpdatedAt, after.UpdatedAt)
			}
		})
	}
	r := open(t)
	empty := r.add(t, variables.Draft{Owner: variables.Global, Name: "EMPTY"})
	_, err := r.Update(t.Context(), empty.ID, variables.Change{Secret: ptr(true)}, ada)
	wantFault(t, err, "variable.invalid", "value: is required")
	_, err = r.Update(t.Context(), "var_none", variables.Change{}, ada)
	wantFault(t, err, "variable.not_found", "no such variable")
}

func TestDeleteTakesBindingsAlong(t *testing.T) {
	r := open(t)
	v := r.add(t, variables.Draft{Owner: variables.Global, Name: "G", Value: "1"})
	if _, err := r.Bind(t.Context(), variables.OfStack(r.stack), []core.VariableID{v.ID}, ada); err != nil {
		t.Fatal(err)
	}
	if err := r.Delete(t.Context(), v.ID, ada); err != nil {
		t.Fatal(err)
	}
	wantFault(t, r.Delete(t.Context(), v.ID, ada), "variable.not_found", "no such variable")
	if n := r.count(t, `SELECT count(*) FROM variable_bindings`); n != 0 {
		t.Errorf("%d bindings are left", n)
	}
}

func TestVariablesArePaged(t *testing.T) {
	r := open(t)
	for i := range 5 {
		r.add(t, variables.Draft{Owner: variables.Global, Name: fmt.Sprintf("V%d", 9-i)})
	}
	r.add(t, variables.Draft{Owner: variables.OfStack(r.stack), Name: "S"})
	var names []string
	ask := core.Page{Limit: 2}
	for {
		list, err := r.Variables(t.Context(), variables.Filter{Scope: variables.ScopeGlobal}, ask)
		if err != nil || len(list.Items) > 2 {
			t.Fatal(list, err)
		}
		for _, v := range list.Items {
			names = append(names, v.Name)
		}
		if list.Next == "" {
			break
		}
		ask.After = list.Next
	}
	if got := strings.Join(names, " "); got != "V9 V8 V7 V6 V5" {
		t.Errorf("pages gave %s", got)
	}
	_, err := r.Variables(t.Context(), variables.Filter{Scope: "host"}, ask)
	wantFault(t, err, "variable.invalid_filter", "scope")
}
