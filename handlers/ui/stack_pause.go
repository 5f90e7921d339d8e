package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackPauser holds a stack's automatic deployments back, and lets them go on; see stacks.Desk.
type StackPauser interface {
	Pause(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
	Resume(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
}

// PauseStack holds automatic sync, retries and repair back and goes back to the stack.
func PauseStack(desk StackPauser) http.Handler { return changeStack(desk.Pause, "stack-paused") }

// ResumeStack ends a pause and goes back to the stack.
func ResumeStack(desk StackPauser) http.Handler { return changeStack(desk.Resume, "stack-resumed") }

func changeStack(change func(context.Context, core.StackID, access.Principal) (stacks.Stack, error), said string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := change(r.Context(), stackIn(r), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(stackHref(s.ID), said))
	})
}
