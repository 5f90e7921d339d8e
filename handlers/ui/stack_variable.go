package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableEditor edits and removes variables; see variables.Desk.
type VariableEditor interface {
	VariableLister
	Update(ctx context.Context, id core.VariableID, c variables.Change, by access.Principal) (variables.Variable, error)
	Delete(ctx context.Context, id core.VariableID, by access.Principal) error
}

type stackVariablePage struct {
	Head   stackHead
	Name   string
	Href   string
	Secret bool // it is one, and stays one
	Form   variableForm
}

var stackVariableView = newView[stackVariablePage]("stack_variable.html")

var errNoVariable = fault.New(fault.NotFound, "variable.not_found", "The stack has no such variable. It may have been removed meanwhile.")

// StackVariable shows one variable of a stack to be edited or removed.
func StackVariable(finder StackFinder, lister VariableLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, v, err := variableIn(r, finder, lister)
		if err != nil {
			return err
		}
		return writeVariable(w, r, http.StatusOK, s, v, editVariableForm(v, v.Name, v.Value, v.Secret))
	})
}

// ChangeStackVariable saves what was typed about a variable.
func ChangeStackVariable(finder StackFinder, desk VariableEditor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, v, err := variableIn(r, finder, desk)
		if err != nil {
			return err
		}
		name, value, secret := strings.TrimSpace(form.Get("name")), lines(form.Get("value")), v.Secret || form.Has("secret")
		change := variables.Change{Name: &name, Secret: &secret}
		// A text area cannot show a carriage return, so a value that has some looks edited
		// when it was not.
		if value != lines(v.Value) {
			change.Value = &value
		}
		if _, err = desk.Update(r.Context(), v.ID, change, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(stackHref(s.ID)+"/variables", "variable-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		again := editVariableForm(v, name, value, secret)
		again.refuse(c, err)
		return writeVariable(w, r, c.Status, s, v, again)
	})
}

// DeleteStackVariable removes a variable of a stack.
func DeleteStackVariable(finder StackFinder, desk VariableEditor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, v, err := variableIn(r, finder, desk)
		if err != nil {
			return err
		}
		if err := desk.Delete(r.Context(), v.ID, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(stackHref(s.ID)+"/variables", "variable-gone"))
	})
}

// variableIn finds the stack and its own variable that the path names; never another's.
func variableIn(r *http.Request, finder StackFinder, lister VariableLister) (stacks.Stack, variables.Variable, error) {
	s, err := finder.Stack(r.Context(), stackIn(r))
	if err != nil {
		return s, variables.Variable{}, err
	}
	all, err := variablesOf(r.Context(), lister, s.ID)
	if err != nil {
		return s, variables.Variable{}, err
	}
	i := slices.IndexFunc(all, func(v variables.Variable) bool { return string(v.ID) == r.PathValue("variable") })
	if i < 0 {
		return s, variables.Variable{}, errNoVariable
	}
	return s, all[i], nil
}

func editVariableForm(v variables.Variable, name, value string, secret bool) variableForm {
	f := newVariableForm(name, value, secret)
	if v.Secret {
		f.Value.Value = ""
		f.Value.Label, f.Value.Hint = "New value", "Leave it empty to keep the value that is stored. It is never shown."
	}
	return f
}

func writeVariable(w http.ResponseWriter, r *http.Request, status int, s stacks.Stack, v variables.Variable, form variableForm) error {
	base := stackHref(s.ID) + "/variables"
	f := newFrame(r, inStacks, v.Name, append(stackTrail(s), crumb{"Variables", base})...)
	f.Problem = status != http.StatusOK
	return stackVariableView.write(w, r, status, f, stackVariablePage{Head: headOf(s, nil, tabVariables), Name: v.Name, Href: base + "/" + string(v.ID), Secret: v.Secret, Form: form})
}
