package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// JobDeleter removes a job.
type JobDeleter interface {
	Delete(ctx context.Context, id core.JobID, by access.Principal) error
}

// DeleteJob removes a job with its runs, their logs, and its variables.
func DeleteJob(deleter JobDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := jobID(r)
		if err != nil {
			return err
		}
		if err := deleter.Delete(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
