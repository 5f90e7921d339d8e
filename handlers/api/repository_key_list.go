package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryKeyLister lists repository keys by name, each with who uses it.
type RepositoryKeyLister interface {
	Credentials(ctx context.Context, page core.Page) (core.List[repositories.Credential], error)
}

// ListRepositoryKeys answers with a page of repository keys.
func ListRepositoryKeys(lister RepositoryKeyLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := lister.Credentials(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showRepositoryKey)
	})
}
