package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// ServiceAccountChanger changes service accounts.
type ServiceAccountChanger interface {
	// ChangeServiceAccount changes a service account. NotFound "service_account.not_found",
	// Conflict "service_account.name_taken".
	ChangeServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID, change identity.AccountChange) (identity.ServiceAccount, error)
}

// ServiceAccountChange changes a service account; a field that is left out stays as it is.
type ServiceAccountChange struct {
	Name     *string      `json:"name"`
	Role     *access.Role `json:"role"`
	Disabled *bool        `json:"disabled"` // refuses all its keys
}

// ChangeServiceAccount changes a service account; its keys follow with the next request.
func ChangeServiceAccount(accounts ServiceAccountChanger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ServiceAccountChange](r)
		if err != nil {
			return err
		}
		change := identity.AccountChange(ask)
		if err := change.Check(); err != nil {
			return err
		}
		account, err := accounts.ChangeServiceAccount(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")), change)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showAccount(account))
	})
}
