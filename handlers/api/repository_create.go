package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryCreator adds repositories.
type RepositoryCreator interface {
	Create(ctx context.Context, draft repositories.Draft, by access.Principal) (repositories.Repository, error)
}

// CreateRepositoryRequest describes a repository to be added.
type CreateRepositoryRequest struct {
	Name         string            `json:"name" required:"yes"`
	URL          string            `json:"url" required:"yes"` // http or https, without user and password
	Branch       string            `json:"branch"`             // short name; "", with tag and semver: the remote's default branch
	Tag          string            `json:"tag"`                // short name of a tag, in place of a branch
	Semver       string            `json:"semver"`             // range of versions such as ^1.2, in place of a branch: the highest tag in it is deployed
	CredentialID core.CredentialID `json:"credential_id"`      // a repository key for that host; "": read anonymously
}

// CreateRepository adds a repository; it is fetched at once, in the background.
func CreateRepository(creator RepositoryCreator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[CreateRepositoryRequest](r)
		if err != nil {
			return err
		}
		created, err := creator.Create(r.Context(), repositories.Draft{
			Name: ask.Name, URL: ask.URL, Branch: ask.Branch, Tag: ask.Tag, Semver: ask.Semver, Credential: ask.CredentialID,
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showRepository(created))
	})
}
