package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/handlers/endpoint"
)

// JobCreator stores a new job.
type JobCreator interface {
	Create(ctx context.Context, draft jobs.Draft, by access.Principal) (jobs.Job, error)
}

// CreateJobRequest describes a job to be added.
type CreateJobRequest struct {
	RepositoryID core.RepositoryID `json:"repository_id" required:"yes"`
	Path         string            `json:"path"` // folder in the repository that holds the job.yaml; "" or "." is its root
	Name         string            `json:"name"` // lower-case letters, digits, - and _; "": the last part of the path, or the repository's name
}

// CreateJob adds a job. One that is given no name gets one made of its folder's, or its repository's.
func CreateJob(creator JobCreator, repositories RepositoryFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[CreateJobRequest](r)
		if err != nil {
			return err
		}
		if ask.Name == "" {
			if ask.Name, err = proposedName(r.Context(), repositories, ask); err != nil {
				return err
			}
		}
		j, err := creator.Create(r.Context(), jobs.Draft{Name: ask.Name, Repository: ask.RepositoryID, Path: ask.Path}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showJob(now)(j))
	})
}

func proposedName(ctx context.Context, finder RepositoryFinder, ask CreateJobRequest) (string, error) {
	repository, err := finder.Repository(ctx, ask.RepositoryID)
	if fault.Is(err, fault.NotFound) {
		err = nil // who adds the job says so
	}
	return jobs.ProposeName(ask.Path, repository.Name), err
}
