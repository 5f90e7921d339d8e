package ui

import (
	"net/http"

	"berth/core"
	"berth/handlers/endpoint"
)

// SyncRepository asks for a look at a repository and goes to watch it.
func SyncRepository(desk RepositoryEditor) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := desk.RequestSync(r.Context(), core.RepositoryID(r.PathValue("id")), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(repositoryHref(known.ID), "repository-asked"))
	})
}
