package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// WorkerDeleter removes workers.
type WorkerDeleter interface {
	// Delete removes a worker. NotFound "worker.not_found"; Conflict "worker.has_stacks".
	Delete(ctx context.Context, by access.Principal, id core.WorkerID) error
}

// DeleteWorker removes a worker that has no stacks; 409 names those that it has.
func DeleteWorker(deleter WorkerDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := workerID(r)
		if err != nil {
			return err
		}
		if err := deleter.Delete(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
