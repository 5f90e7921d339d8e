package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackPauser holds a stack's automatic deployments back, and lets them go on.
type StackPauser interface {
	Pause(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
	Resume(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
}

// PauseStack holds automatic sync, retries and repair back. Pausing twice is as good as once.
func PauseStack(pauser StackPauser) http.Handler { return changedBy(pauser.Pause) }

// ResumeStack ends a pause; the repository is looked at again.
func ResumeStack(pauser StackPauser) http.Handler { return changedBy(pauser.Resume) }

// changedBy answers with a stack after a change that needs nothing but its name.
func changedBy(change func(context.Context, core.StackID, access.Principal) (stacks.Stack, error)) http.Handler {
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
