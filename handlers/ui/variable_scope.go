package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/variables"
)

// VariableLister lists variables; see variables.Desk.
type VariableLister interface {
	Variables(ctx context.Context, f variables.Filter, p core.Page) (core.List[variables.Variable], error)
	// Bound returns the global variables that reach a stack, by name.
	Bound(ctx context.Context, o variables.Owner) ([]variables.Variable, error)
}

// VariableDesk adds, edits and removes variables, and takes them from text; see variables.Desk.
type VariableDesk interface {
	VariableLister
	Create(ctx context.Context, draft variables.Draft, by access.Principal) (variables.Variable, error)
	Update(ctx context.Context, id core.VariableID, c variables.Change, by access.Principal) (variables.Variable, error)
	Delete(ctx context.Context, id core.VariableID, by access.Principal) error
	Import(ctx context.Context, o variables.Owner, text string, secret bool, by access.Principal) (variables.Imported, error)
}

// SecretBackends are what keeps secret values elsewhere; see integrations.Desk.
type SecretBackends interface {
	// Usable refuses a provider that is not enabled or not configured.
	Usable(ctx context.Context, provider string) error
	// Pick returns what can be chosen next; names only.
	Pick(ctx context.Context, slug string, s integrations.Step) ([]integrations.Choice, error)
}

// Scope finds whose variables a request is about.
type Scope func(r *http.Request) (scope, error)

// scope is whose variables a page is about.
type scope struct {
	owner variables.Owner
	of    string // "of shop", "for the stacks and jobs that it is bound to"
	href  string // of the list
	at    section
	trail []crumb // to the list, without it
}

// StackScope is the variables of the stack that the path names.
func StackScope(finder StackFinder) Scope {
	return func(r *http.Request) (scope, error) {
		s, err := finder.Stack(r.Context(), stackIn(r))
		return scope{owner: variables.OfStack(s.ID), of: "of " + s.Name, href: stackHref(s.ID) + "/variables", at: inStacks, trail: stackTrail(s)}, err
	}
}

// GlobalScope is the global variables.
func GlobalScope() Scope {
	return func(*http.Request) (scope, error) {
		return scope{owner: variables.Global, of: "for the stacks and jobs that it is bound to", href: "/variables", at: inVariables}, nil
	}
}

// frame makes the frame of a page below the list.
func (s scope) frame(r *http.Request, title string, status int) frame {
	f := newFrame(r, s.at, title, append(slices.Clone(s.trail), crumb{"Variables", s.href})...)
	f.Problem = status != http.StatusOK
	return f
}

// saying returns the address of the list with what it is to say: of a job it is the next run that counts.
func (s scope) saying(what string) string {
	if s.owner.Scope == variables.ScopeJob {
		what = "job-" + what
	}
	return saying(s.href, what)
}

var errNoVariable = fault.New(fault.NotFound, "variable.not_found", "There is no such variable here. It may have been removed meanwhile.")

// variableIn finds the variable that the path names in its own scope; never another's.
func variableIn(r *http.Request, of Scope, lister VariableLister) (scope, variables.Variable, error) {
	s, err := of(r)
	if err != nil {
		return s, variables.Variable{}, err
	}
	all, err := variablesOf(r.Context(), lister, s.owner)
	if err != nil {
		return s, variables.Variable{}, err
	}
	i := slices.IndexFunc(all, func(v variables.Variable) bool { return string(v.ID) == r.PathValue("variable") })
	if i < 0 {
		return s, variables.Variable{}, errNoVariable
	}
	return s, all[i], nil
}

// variablesOf returns all variables of an owner by name; there are at most variables.MaxPerScope.
func variablesOf(ctx context.Context, lister VariableLister, o variables.Owner) ([]variables.Variable, error) {
	filter, ask := variables.Filter{Scope: o.Scope, ScopeID: o.ID}, core.Page{Limit: core.MaxPage}
	var all []variables.Variable
	for {
		list, err := lister.Variables(ctx, filter, ask)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if list.Next == "" {
			slices.SortFunc(all, func(a, b variables.Variable) int { return strings.Compare(a.Name, b.Name) })
			return all, nil
		}
		ask.After = list.Next
	}
}
