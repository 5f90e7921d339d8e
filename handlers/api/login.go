package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SessionOpener opens sessions.
type SessionOpener interface {
	// Open opens a session in place of the one that who asks with; see identity.SignIn.
	Open(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, error)
}

// LoginRequest is who somebody says they are.
type LoginRequest struct {
	Email    string `json:"email" required:"yes"`
	Password string `json:"password" required:"yes"`
}

// Login opens a session and hands it to the browser as a cookie.
func Login(sessions SessionOpener, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[LoginRequest](r)
		if err != nil {
			return err
		}
		session, err := sessions.Open(r.Context(), endpoint.Principal(r.Context()), ask.Email, secrets.NewValue(ask.Password))
		if err != nil {
			return err
		}
		endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		return endpoint.JSON(w, http.StatusOK, showUser(session.User))
	})
}
