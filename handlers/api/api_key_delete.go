package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// KeyRevoker revokes API keys.
type KeyRevoker interface {
	// DeleteAPIKey revokes a key of an account for good. NotFound "api_key.not_found".
	DeleteAPIKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, id core.APIKeyID) error
}

// DeleteAPIKey revokes an API key; the next request with it is refused.
func DeleteAPIKey(keys KeyRevoker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		err := keys.DeleteAPIKey(r.Context(), endpoint.Principal(r.Context()),
			core.ServiceAccountID(r.PathValue("id")), core.APIKeyID(r.PathValue("key_id")))
		if err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
