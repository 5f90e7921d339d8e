package ui

import (
	"berth/core/fault"
	"berth/core/variables"
)

// variableForm is what people say about a variable whose value is typed.
type variableForm struct {
	Trouble string
	Name    input
	Value   input
	Secret  tick
}

// reachWords says which containers get a variable of a scope.
var reachWords = map[variables.Scope]string{
	variables.ScopeStack:  "A container gets it only if the Compose file lists the name for its service.",
	variables.ScopeJob:    "Every run gets it.",
	variables.ScopeGlobal: "A stack's container gets it only if the Compose file lists the name for its service; every run of a job gets it.",
}

func newVariableForm(of variables.Scope, name, value string, secret bool) variableForm {
	return variableForm{
		Name: nameInput(name),
		Value: input{Name: "value", Label: "Value", Kind: "area", Mono: true, Value: exact(value),
			Hint: "Kept byte for byte, line ends included. " + reachWords[of]},
		Secret: tick{Name: "secret", Label: "Secret", On: secret, Hint: "Sealed in the database, never shown again, taken out of logs."},
	}
}

func nameInput(name string) input {
	return input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Mono: true, Sample: "DATABASE_URL", Value: exact(name)}
}

func editVariableForm(v variables.Variable, name, value string, secret bool) variableForm {
	f := newVariableForm(v.Owner.Scope, name, value, secret)
	if v.Secret {
		f.Value.Value = ""
		f.Value.Label, f.Value.Hint, f.Value.Sample = "New value", "Leave it empty to keep the value that is stored. It is never shown.", "stored; leave empty to keep"
	}
	return f
}

// refuse puts what is wrong into the form. The value of a secret is not sent back.
func (f *variableForm) refuse(c complaints, err error) {
	if f.Secret.On {
		f.Value.Value = ""
	}
	f.Trouble = c.on(&f.Name, &f.Value)
	if fault.CodeOf(err) == "variable.name_taken" {
		f.Name.Problem, f.Name.Focus, f.Trouble = f.Trouble, true, ""
	}
}
