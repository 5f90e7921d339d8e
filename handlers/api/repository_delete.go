package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// RepositoryDeleter removes repositories that no stack and no job uses.
type RepositoryDeleter interface {
	Delete(ctx context.Context, id core.RepositoryID, by access.Principal) error
}

// DeleteRepository removes a repository; Conflict while stacks use it, naming them.
func DeleteRepository(deleter RepositoryDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		if err := deleter.Delete(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
