package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableReacher says which stacks and jobs a global variable reaches; see variables.Desk.
type VariableReacher interface {
	Owners(ctx context.Context, id core.VariableID) ([]variables.Owner, error)
	Reach(ctx context.Context) (map[core.VariableID]variables.Reach, error)
	BindTo(ctx context.Context, id core.VariableID, owners []variables.Owner, by access.Principal) error
}

// VariablePages is what the pages about one variable need.
type VariablePages struct {
	Of    Scope
	Desk  VariableDesk
	Reach VariableReacher
	Store ReachedLister
}

// ReachedLister lists what a global variable can reach.
type ReachedLister interface {
	Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error)
	Jobs(ctx context.Context, f jobs.Filter, ask core.Page) (core.List[jobs.Job], error)
}

type variableEditPage struct {
	Name, Of       string
	Href, ListHref string
	Secret         bool   // it is one, and stays one
	Provider       string // that keeps its value elsewhere; empty: Berth does
	Place          string // where there
	Job            bool   // it is a job's
	Global         bool
	Reach          reachForm
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
			return seeOther(w, r, s.saying("variable-saved"))
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
		return seeOther(w, r, s.saying("variable-gone"))
	})
}

func (p VariablePages) write(w http.ResponseWriter, r *http.Request, status int, s scope, v variables.Variable, form variableForm) error {
	page, err := p.page(r, s, v, form)
	if err != nil {
		return err
	}
	return variableEditView.write(w, r, status, s.frame(r, v.Name, status), page)
}

func (p VariablePages) page(r *http.Request, s scope, v variables.Variable, form variableForm) (variableEditPage, error) {
	page := variableEditPage{Name: v.Name, Of: s.of, Href: s.href + "/" + string(v.ID), ListHref: s.href, Secret: v.Secret, Job: s.owner.Scope == variables.ScopeJob, Global: s.owner == variables.Global, Form: form}
	if v.Secret && v.Provider != secrets.Internal {
		page.Provider, page.Place = providerName(v.Provider), keptAt(v.Provider, v.Reference)
	}
	if page.Global {
		var err error
		if page.Reach, err = p.reachable(r.Context(), v.ID, r.URL.Query()); err != nil {
			return page, err
		}
		page.Reach.Href = page.Href
	}
	return page, nil
}
