package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// RepositoryKeyDeleter removes repository keys that no repository uses.
type RepositoryKeyDeleter interface {
	DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error
}

// DeleteRepositoryKey removes a repository key; Conflict while it is used, naming by whom. One that was made by connecting
// a Git host is taken from the repositories that use it.
func DeleteRepositoryKey(deleter RepositoryKeyDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.CredentialID](r, core.PrefixCredential, errKeyMissing)
		if err != nil {
			return err
		}
		if err := deleter.DeleteCredential(r.Context(), id, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
