package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// OwnFactor sets up and removes the second factor of whoever asks; see identity.People.
type OwnFactor interface {
	OfferFactor(ctx context.Context, who access.Principal) (identity.Offer, error)
	ConfirmFactor(ctx context.Context, who access.Principal, secret, code string, password secrets.Value) ([]string, error)
	RemoveFactor(ctx context.Context, who access.Principal, code string, password secrets.Value) error
}

// FactorResetter removes second factors of others; see identity.People.
type FactorResetter interface {
	ResetFactor(ctx context.Context, who access.Principal, user core.UserID) error
}

// FactorOffer is a second factor that nobody has yet.
type FactorOffer struct {
	Secret  string `json:"secret"`  // base32, for an authenticator app: SHA-1, six digits, 30 seconds
	Address string `json:"address"` // otpauth://…, the same for an app that reads it from a picture
}

// FactorRequest confirms a second factor.
type FactorRequest struct {
	Secret   string `json:"secret" required:"yes"`   // that was offered
	Code     string `json:"code" required:"yes"`     // that the app shows now
	Password string `json:"password" required:"yes"` // the present one
}

// FactorCodes is the only answer that ever shows recovery codes.
type FactorCodes struct {
	RecoveryCodes []string `json:"recovery_codes"` // each replaces one code of the app, once
}

// FactorRemoval removes one's own second factor.
type FactorRemoval struct {
	Code     string `json:"code" required:"yes"` // of the app, or a recovery code
	Password string `json:"password" required:"yes"`
}

// OfferFactor makes a second factor, of which nothing is kept until it is confirmed.
func OfferFactor(people OwnFactor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		offer, err := people.OfferFactor(r.Context(), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, FactorOffer(offer))
	})
}

// ConfirmFactor gives whoever asks the second factor that was offered.
func ConfirmFactor(people OwnFactor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[FactorRequest](r)
		if err != nil {
			return err
		}
		codes, err := people.ConfirmFactor(r.Context(), endpoint.Principal(r.Context()), ask.Secret, ask.Code, secrets.NewValue(ask.Password))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, FactorCodes{RecoveryCodes: codes})
	})
}

// RemoveFactor takes the second factor of whoever asks.
func RemoveFactor(people OwnFactor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[FactorRemoval](r)
		if err != nil {
			return err
		}
		if err := people.RemoveFactor(r.Context(), endpoint.Principal(r.Context()), ask.Code, secrets.NewValue(ask.Password)); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}

// ResetFactor takes the second factor of somebody else.
func ResetFactor(people FactorResetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.UserID](r, core.PrefixUser, errNoUser)
		if err != nil {
			return err
		}
		if err := people.ResetFactor(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
