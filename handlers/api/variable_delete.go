package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// VariableDeleter removes variables.
type VariableDeleter interface {
	Delete(ctx context.Context, id core.VariableID, by access.Principal) error
}

// DeleteVariable removes a variable; a global one is unbound from everything.
func DeleteVariable(deleter VariableDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := variableID(r)
		if err != nil {
			return err
		}
		if err := deleter.Delete(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
