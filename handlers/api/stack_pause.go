package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// PauseOrResume answers with a stack after a change that needs nothing but its name: a pause, which holds
// automatic sync, retries and repair back, or the end of one. Doing either twice is as good as once.
func PauseOrResume(change func(context.Context, core.StackID, access.Principal) (stacks.Stack, error)) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		s, err := change(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showStack(s))
	})
}
