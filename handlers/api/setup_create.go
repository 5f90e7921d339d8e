package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// Founder makes the first administrator.
type Founder interface {
	// Create makes the first administrator; see identity.SetUp.
	Create(ctx context.Context, who access.Principal, ask identity.FirstAdministrator) (identity.User, error)
}

// SetupRequest makes the first administrator.
type SetupRequest struct {
	BootstrapToken string `json:"bootstrap_token" required:"yes"` // the value of BOOTSTRAP_TOKEN
	Email          string `json:"email" required:"yes"`
	Password       string `json:"password" required:"yes"` // 12 to 256 bytes
	Name           string `json:"name" required:"yes"`     // 1 to 100 characters
}

// CreateSetup makes the first administrator, once and never again.
func CreateSetup(setup Founder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[SetupRequest](r)
		if err != nil {
			return err
		}
		user, err := setup.Create(r.Context(), endpoint.Principal(r.Context()), identity.FirstAdministrator{
			BootstrapToken: secrets.NewValue(ask.BootstrapToken), Email: ask.Email, Password: secrets.NewValue(ask.Password), Name: ask.Name})
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showUser(user))
	})
}
