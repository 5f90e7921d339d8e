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
	// OpenWithCode opens a session in place of the one that who asks with; see identity.SignIn.
	OpenWithCode(ctx context.Context, who access.Principal, email string, password secrets.Value, code string) (identity.Session, error)
}

// LoginRequest is who somebody says they are.
type LoginRequest struct {
	Email    string  `json:"email" required:"yes"`
	Password string  `json:"password" required:"yes"`
	Code     *string `json:"code"` // of the second factor, or a recovery code; without one, who has a second factor is asked with auth.code_required
}

// Login opens a session and hands it to the browser as a cookie.
func Login(sessions SessionOpener, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[LoginRequest](r)
		if err != nil {
			return err
		}
		code := ""
		if ask.Code != nil {
			code = *ask.Code
		}
		session, err := sessions.OpenWithCode(r.Context(), endpoint.Principal(r.Context()), ask.Email, secrets.NewValue(ask.Password), code)
		if err != nil {
			return err
		}
		endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		return endpoint.JSON(w, http.StatusOK, showUser(session.User))
	})
}
