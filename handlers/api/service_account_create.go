package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// ServiceAccountCreator makes service accounts.
type ServiceAccountCreator interface {
	// Create makes a service account without keys; see identity.Accounts.
	Create(ctx context.Context, who access.Principal, name string, role access.Role) (identity.ServiceAccount, error)
}

// ServiceAccountRequest makes a service account.
type ServiceAccountRequest struct {
	Name string      `json:"name" required:"yes"` // 1 to 100 characters, unlike any other account's
	Role access.Role `json:"role" required:"yes"` // viewer, monitoring, operator or admin
}

// CreateServiceAccount makes a service account; its keys are made one by one afterwards.
func CreateServiceAccount(accounts ServiceAccountCreator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[ServiceAccountRequest](r)
		if err != nil {
			return err
		}
		account, err := accounts.Create(r.Context(), endpoint.Principal(r.Context()), ask.Name, ask.Role)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showAccount(account))
	})
}
