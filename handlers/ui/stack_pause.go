package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// PauseOrResume makes a change that needs nothing but the stack's name, a pause or the end of one, and goes
// back to the stack, whose page says what was done.
func PauseOrResume(change func(context.Context, core.StackID, access.Principal) (stacks.Stack, error), said string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := change(r.Context(), stackIn(r), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(stackHref(s.ID), said))
	})
}
