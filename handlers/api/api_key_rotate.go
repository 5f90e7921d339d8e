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
	"berth/handlers/endpoint"
)

// APIKeyRotator makes the keys that follow others.
type APIKeyRotator interface {
	// RotateKey makes the key that follows another; both are good for as long as overlap says. See identity.Accounts.
	RotateKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, old core.APIKeyID, overlap time.Duration) (identity.APIKey, seal.Token, error)
}

// RotateKeyRequest makes the key that follows another.
type RotateKeyRequest struct {
	Overlap string `json:"overlap"` // how long both are good, 0s to 720h, such as 24h; left out: 24h
}

// RotateAPIKey makes the key that follows another and shows it, this once.
func RotateAPIKey(keys APIKeyRotator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.DecodeOptional[RotateKeyRequest](r)
		if err != nil {
			return err
		}
		overlap := 24 * time.Hour
		if ask.Overlap != "" {
			if overlap, err = time.ParseDuration(ask.Overlap); err != nil {
				return fault.BadFields("api_key.invalid", []fault.Field{{Path: "overlap", Problem: "must be a duration from 0s to 720h, such as 24h"}})
			}
		}
		key, token, err := keys.RotateKey(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")), core.APIKeyID(r.PathValue("key_id")), overlap)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, IssuedKey{ID: key.ID, Key: token.Reveal()})
	})
}
