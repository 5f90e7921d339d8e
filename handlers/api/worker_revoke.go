package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// WorkerRevoker cuts workers off.
type WorkerRevoker interface {
	// Revoke cuts a worker off for good; see fleet.Desk. NotFound "worker.not_found".
	Revoke(ctx context.Context, by access.Principal, id core.WorkerID) (fleet.Worker, error)
}

// RevokeWorker cuts a worker off and answers with it. Revoking again changes nothing.
func RevokeWorker(revoker WorkerRevoker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := workerID(r)
		if err != nil {
			return err
		}
		worker, err := revoker.Revoke(r.Context(), endpoint.Principal(r.Context()), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showWorker(worker))
	})
}
