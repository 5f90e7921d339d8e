package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableReacher says which stacks a global variable reaches; see variables.Desk.
type VariableReacher interface {
	Stacks(ctx context.Context, id core.VariableID) ([]core.StackID, error)
	Reach(ctx context.Context) (map[core.VariableID]variables.Reach, error)
	BindTo(ctx context.Context, id core.VariableID, stacks []core.StackID, by access.Principal) error
}

// VariablePages is what the pages about one variable need.
type VariablePages struct {
	Of    Scope
	Desk  VariableDesk
	Reach VariableReacher
	Store StackLister
}

type variableEditPage struct {
	Name, Of       string
	Href, ListHref string
	Secret         bool   // it is one, and stays one
	Provider       string // that keeps its value elsewhere; empty: Berth does
	Place          string // where there
	Global         bool
	Stacks         []tick // that it can be bound to
	Form           variableForm
}

var variableEditView = newView[variableEditPage]("variable_edit.html")

// Variable shows one variable to be edited or removed.
func Variable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		return p.write(w, r, http.StatusOK, s, v, editVariableForm(v, v.Name, v.Value, v.Secret))
	})
}

// ChangeVariable saves what was typed about a variable.
func ChangeVariable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		name, value, secret := strings.TrimSpace(form.Get("name")), lines(form.Get("value")), v.Secret || form.Has("secret")
		change := variables.Change{Name: &name, Secret: &secret}
		if value != shownLines(v.Value) {
			change.Value = &value
		}
		if _, err = p.Desk.Update(r.Context(), v.ID, change, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(s.href, "variable-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		again := editVariableForm(v, name, value, secret)
		again.refuse(c, err)
		return p.write(w, r, c.Status, s, v, again)
	})
}

// shownLines is what a text area makes of a value: it cannot hold a carriage return (HTML Living
// Standard, the textarea element). A value that has some would look edited when it was not.
func shownLines(value string) string { return strings.ReplaceAll(lines(value), "\r", "\n") }

// DeleteVariable removes a variable.
func DeleteVariable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		if err := p.Desk.Delete(r.Context(), v.ID, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(s.href, "variable-gone"))
	})
}

// BindVariable makes a global variable reach exactly the stacks that were ticked, of those that could be.
func BindVariable(p VariablePages) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		s, v, err := variableIn(r, p.Of, p.Desk)
		if err != nil {
			return err
		}
		offered, err := p.stacks(r.Context(), v.ID)
		if err != nil {
			return err
		}
		chosen, err := p.Reach.Stacks(r.Context(), v.ID)
		if err != nil {
			return err
		}
		chosen = slices.DeleteFunc(chosen, func(id core.StackID) bool {
			return slices.ContainsFunc(offered, func(t tick) bool { return t.Name == tickOf(id) })
		})
		for name := range form {
			if id, isStack := strings.CutPrefix(name, tickOf("")); isStack {
				chosen = append(chosen, core.StackID(id))
			}
		}
		if err := p.Reach.BindTo(r.Context(), v.ID, chosen, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying(s.href, "variable-reach"))
	})
}

// tickOf names the field that says whether a stack is reached.
func tickOf(id core.StackID) string { return "stack-" + string(id) }

func (p VariablePages) write(w http.ResponseWriter, r *http.Request, status int, s scope, v variables.Variable, form variableForm) error {
	page := variableEditPage{Name: v.Name, Of: s.of, Href: s.href + "/" + string(v.ID), ListHref: s.href, Secret: v.Secret, Global: s.owner == variables.Global, Form: form}
	if v.Secret && v.Provider != secrets.Internal {
		page.Provider, page.Place = providerName(v.Provider), keptAt(v.Provider, v.Reference)
	}
	if page.Global {
		var err error
		if page.Stacks, err = p.stacks(r.Context(), v.ID); err != nil {
			return err
		}
	}
	return variableEditView.write(w, r, status, s.frame(r, v.Name, status), page)
}

// stacks lists all stacks by name, those ticked that the variable reaches.
func (p VariablePages) stacks(ctx context.Context, id core.VariableID) ([]tick, error) {
	reached, err := p.Reach.Stacks(ctx, id)
	if err != nil {
		return nil, err
	}
	bound := map[core.StackID]bool{}
	for _, id := range reached {
		bound[id] = true
	}
	var ticks []tick
	list := func(ask core.Page) (core.List[stacks.Stack], error) { return p.Store.Stacks(ctx, stacks.Filter{}, ask) }
	_, _, err = find(list, func(s stacks.Stack) bool {
		ticks = append(ticks, tick{Name: tickOf(s.ID), Label: s.Name, On: bound[s.ID]})
		return false
	})
	return ticks, err
}
