package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/core/seal"
	"berth/handlers/endpoint"
)

// KeyIssuer makes API keys.
type KeyIssuer interface {
	// IssueKey makes a key; a zero expires means never. See identity.Accounts.
	IssueKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, name string, expires time.Time) (identity.APIKey, seal.Token, error)
}

// APIKeyRequest makes an API key.
type APIKeyRequest struct {
	Name      string     `json:"name" required:"yes"` // 1 to 100 characters, for people
	ExpiresAt *time.Time `json:"expires_at"`          // RFC 3339, in the future; left out: never
}

// IssuedKey is the only answer that ever shows a key.
type IssuedKey struct {
	ID  core.APIKeyID `json:"id"`
	Key string        `json:"key"` // to send in the X-Service-Api-Key header
}

// CreateAPIKey makes an API key for a service account and shows it, this once.
func CreateAPIKey(keys KeyIssuer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[APIKeyRequest](r)
		if err != nil {
			return err
		}
		var expires time.Time
		if ask.ExpiresAt != nil {
			expires = *ask.ExpiresAt
		}
		key, token, err := keys.IssueKey(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")), ask.Name, expires)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, IssuedKey{ID: key.ID, Key: token.Reveal()})
	})
}
