package api

import (
	"context"
	"net/http"

	"berth/core/identity"
	"berth/handlers/endpoint"
)

// SetupStatuses knows how far set-up is.
type SetupStatuses interface {
	// Status tells whether set-up is needed and possible.
	Status(ctx context.Context) (identity.SetupStatus, error)
}

// SetupStatus is the answer of GET /setup.
type SetupStatus struct {
	Needed          bool `json:"needed"`           // there is no administrator yet
	TokenConfigured bool `json:"token_configured"` // BOOTSTRAP_TOKEN is set on the server
}

// GetSetup tells whether set-up is needed.
func GetSetup(setup SetupStatuses) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		status, err := setup.Status(r.Context())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, SetupStatus(status))
	})
}
