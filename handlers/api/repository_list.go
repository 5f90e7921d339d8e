package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryLister lists repositories by name.
type RepositoryLister interface {
	Repositories(ctx context.Context, page core.Page) (core.List[repositories.Repository], error)
}

// ListRepositories answers with a page of repositories.
func ListRepositories(lister RepositoryLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Repositories(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showRepository)
	})
}
