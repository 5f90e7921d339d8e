package api

import (
	"net/http"

	"berth/handlers/endpoint"
)

// GetRepository answers with one repository.
func GetRepository(finder RepositoryFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		repository, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRepository(repository))
	})
}
