package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobUpdater edits a job.
type JobUpdater interface {
	Update(ctx context.Context, id core.JobID, change jobs.Change, by access.Principal) (jobs.Job, error)
}

// UpdateJobRequest sets what it names; everything else stays.
type UpdateJobRequest struct {
	Name   *string `json:"name"`
	Path   *string `json:"path"`   // its job.yaml is read there from now on
	Paused *bool   `json:"paused"` // true: it does not run by itself; what was due meanwhile is not made up for
}

// UpdateJob edits a job.
func UpdateJob(updater JobUpdater, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := jobID(r)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[UpdateJobRequest](r)
		if err != nil {
			return err
		}
		j, err := updater.Update(r.Context(), id, jobs.Change{Name: ask.Name, Path: ask.Path, Paused: ask.Paused}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showJob(now)(j))
	})
}
