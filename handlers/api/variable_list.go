package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

// VariableLister lists variables in order of age.
type VariableLister interface {
	Variables(ctx context.Context, f variables.Filter, page core.Page) (core.List[variables.Variable], error)
}

// ListVariables answers with a page of variables, narrowed by scope and scope_id.
func ListVariables(lister VariableLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		q := r.URL.Query()
		list, err := lister.Variables(r.Context(), variables.Filter{Scope: variables.Scope(q.Get("scope")), ScopeID: q.Get("scope_id")}, page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showVariable)
	})
}
