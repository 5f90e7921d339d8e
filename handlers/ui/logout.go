package ui

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// SessionCloser ends sessions; see identity.SignIn.
type SessionCloser interface {
	Close(ctx context.Context, who access.Principal) error
}

// Logout ends the session and takes it from the browser.
func Logout(sessions SessionCloser, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := sessions.Close(r.Context(), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		endpoint.ClearSession(w, secure)
		return seeOther(w, r, "/")
	})
}
