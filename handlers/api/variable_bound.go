package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableBinder says which global variables reach a stack.
type VariableBinder interface {
	// Bind makes exactly these reach it, and returns them by name.
	Bind(ctx context.Context, o variables.Owner, ids []core.VariableID, by access.Principal) ([]variables.Variable, error)
	// Bound returns those that reach it, by name.
	Bound(ctx context.Context, o variables.Owner) ([]variables.Variable, error)
}

// BindVariablesRequest names global variables.
type BindVariablesRequest struct {
	IDs []core.VariableID `json:"ids"` // all that reach the stack from now on
}

// ListStackGlobals answers with the global variables that reach a stack, all on one page.
func ListStackGlobals(finder StackFinder, binder VariableBinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		bound, err := binder.Bound(r.Context(), variables.OfStack(s.ID))
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[variables.Variable]{Items: bound}, showVariable)
	})
}

// BindStackGlobals makes exactly the named global variables reach a stack and answers
// as ListStackGlobals.
func BindStackGlobals(finder StackFinder, binder VariableBinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[BindVariablesRequest](r)
		if err != nil {
			return err
		}
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		bound, err := binder.Bind(r.Context(), variables.OfStack(s.ID), ask.IDs, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[variables.Variable]{Items: bound}, showVariable)
	})
}
