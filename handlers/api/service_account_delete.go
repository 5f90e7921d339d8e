package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// ServiceAccountDeleter deletes service accounts.
type ServiceAccountDeleter interface {
	// DeleteServiceAccount removes an account with its keys. NotFound "service_account.not_found".
	DeleteServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID) error
}

// DeleteServiceAccount deletes a service account and revokes its keys.
func DeleteServiceAccount(accounts ServiceAccountDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		err := accounts.DeleteServiceAccount(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")))
		if err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
