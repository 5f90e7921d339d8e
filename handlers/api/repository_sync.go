package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositorySyncer asks the hub to look at a repository now.
type RepositorySyncer interface {
	RequestSync(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Repository, error)
}

// SyncRepository answers 202 with the repository; its asked_at is null again once the
// hub has looked.
func SyncRepository(syncer RepositorySyncer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		repository, err := syncer.RequestSync(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, showRepository(repository))
	})
}
