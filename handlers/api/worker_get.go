package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

// WorkerFinder finds one worker; NotFound "worker.not_found".
type WorkerFinder interface {
	Worker(ctx context.Context, id core.WorkerID) (fleet.Worker, error)
}

// GetWorker answers with one worker.
func GetWorker(finder WorkerFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := workerID(r)
		if err != nil {
			return err
		}
		worker, err := finder.Worker(r.Context(), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showWorker(worker))
	})
}
