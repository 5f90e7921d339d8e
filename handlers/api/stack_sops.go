package api

import (
	"context"
	"net/http"

	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// SecretsLister tells what the secrets file in a folder of a repository provides.
type SecretsLister interface {
	Provided(ctx context.Context, r repositories.Repository, folder string) (repositories.Provided, error)
}

// SecretNamesAnswer is what a stack's secrets file provides; never a value.
type SecretNamesAnswer struct {
	Available  bool     `json:"available"`       // the file is there and can be decrypted
	SourceFile string   `json:"source_file"`     // its path in the repository; "": there is none
	Keys       []string `json:"keys"`            // names, in order, as far as they can be read
	Error      string   `json:"error,omitempty"` // why the next deployment would fail; left out when it would not
}

// ListSecretNames answers with the names that a stack's secrets.yaml provides at the commit that was fetched last.
func ListSecretNames(stacks StackFinder, finder RepositoryFinder, lister SecretsLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		stack, err := stacks.Stack(r.Context(), id)
		if err != nil {
			return err
		}
		repository, err := finder.Repository(r.Context(), stack.Repository)
		if err != nil {
			return err
		}
		provided, err := lister.Provided(r.Context(), repository, stack.Path)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, SecretNamesAnswer{Available: provided.Available, SourceFile: provided.File, Keys: orEmpty(provided.Names), Error: provided.Problem})
	})
}
