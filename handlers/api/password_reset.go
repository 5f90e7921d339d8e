package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// ResetMaker makes links for a new password; see identity.People.
type ResetMaker interface {
	MakeReset(ctx context.Context, who access.Principal, user core.UserID) (identity.Reset, seal.Token, error)
}

// ResetSpender sets passwords by link; see identity.People.
type ResetSpender interface {
	SpendReset(ctx context.Context, who access.Principal, link string, password secrets.Value) (identity.User, error)
}

// IssuedReset is the only answer that ever shows the link.
type IssuedReset struct {
	Link      string    `json:"link"` // whoever opens it sets the password: hand it over in confidence
	ExpiresAt time.Time `json:"expires_at"`
	Sent      bool      `json:"sent"` // an e-mail with the link is on its way to them
}

var errNoUser = fault.New(fault.NotFound, "user.not_found", "There is no such user.")

// MakeReset makes a link with which a user sets a new password, and shows it, this once.
func MakeReset(people ResetMaker, app string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.UserID](r, core.PrefixUser, errNoUser)
		if err != nil {
			return err
		}
		made, token, err := people.MakeReset(r.Context(), endpoint.Principal(r.Context()), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, IssuedReset{Link: app + "/resets/" + token.Reveal(), ExpiresAt: made.ExpiresAt, Sent: made.Sent})
	})
}

// ResetRequest sets a password by link.
type ResetRequest struct {
	Password string `json:"password" required:"yes"` // 12 to 256 bytes
}

// SpendReset sets the password of the user that a link was made for.
func SpendReset(people ResetSpender) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ResetRequest](r)
		if err != nil {
			return err
		}
		if _, err := people.SpendReset(r.Context(), endpoint.Principal(r.Context()), r.PathValue("token"), secrets.NewValue(ask.Password)); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}

// Forgetter sends links for a new password; see identity.People.
type Forgetter interface {
	Forgot(ctx context.Context, who access.Principal, email string) error
}

// ForgotRequest names the account whose password is forgotten.
type ForgotRequest struct {
	Email string `json:"email" required:"yes"`
}

// Forgot has a link for a new password sent, if there is such an account: the answer does not tell.
func Forgot(people Forgetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ForgotRequest](r)
		if err != nil {
			return err
		}
		if err := people.Forgot(r.Context(), endpoint.Principal(r.Context()), ask.Email); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
