package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobFinder finds one job; NotFound "job.not_found".
type JobFinder interface {
	Job(ctx context.Context, id core.JobID) (jobs.Job, error)
}

// GetJob answers with one job.
func GetJob(finder JobFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		j, err := namedJob(r, finder)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showJob(now)(j))
	})
}

// namedJob finds the job that the path names.
func namedJob(r *http.Request, finder JobFinder) (jobs.Job, error) {
	id, err := jobID(r)
	if err != nil {
		return jobs.Job{}, err
	}
	return finder.Job(r.Context(), id)
}
