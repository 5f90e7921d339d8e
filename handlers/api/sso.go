package api

import (
	"context"
	"net/http"
	"time"

	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// OwnSignOn tells and ends how whoever asks signs in at the provider; see identity.SSO.
type OwnSignOn interface {
	On() (name string, on bool)
	Own(ctx context.Context, who access.Principal) (identity.OwnLink, error)
	Unlink(ctx context.Context, who access.Principal) error
}

// SignOnAnswer is how whoever asks may sign in at the single sign-on provider.
type SignOnAnswer struct {
	Enabled  bool       `json:"enabled"`   // single sign-on is set up on this server
	Provider string     `json:"provider"`  // its name, for people; empty: there is none
	Linked   bool       `json:"linked"`    // this account may sign in there
	Made     bool       `json:"made"`      // the account was made by single sign-on, which says its role too
	LinkedAt *time.Time `json:"linked_at"` // null: it is not linked
}

// GetSignOn tells whoever asks how they may sign in at the provider.
func GetSignOn(desk OwnSignOn) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if _, on := desk.On(); !on {
			return endpoint.JSON(w, http.StatusOK, SignOnAnswer{})
		}
		own, err := desk.Own(r.Context(), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, SignOnAnswer{Enabled: true, Provider: own.Provider, Linked: own.Linked, Made: own.Made, LinkedAt: optionalTime(own.At)})
	})
}

// UnlinkSignOn has whoever asks sign in with their password alone.
func UnlinkSignOn(desk OwnSignOn) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := desk.Unlink(r.Context(), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
