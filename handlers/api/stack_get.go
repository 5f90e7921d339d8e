package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackFinder finds one stack; NotFound "stack.not_found".
type StackFinder interface {
	Stack(ctx context.Context, id core.StackID) (stacks.Stack, error)
}

// GetStack answers with one stack.
func GetStack(finder StackFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := namedStack(r, finder)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showStack(s))
	})
}

// namedStack finds the stack that the path names.
func namedStack(r *http.Request, finder StackFinder) (stacks.Stack, error) {
	id, err := stackID(r)
	if err != nil {
		return stacks.Stack{}, err
	}
	return finder.Stack(r.Context(), id)
}
