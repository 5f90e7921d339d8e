package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryUpdater edits repositories.
type RepositoryUpdater interface {
	Update(ctx context.Context, id core.RepositoryID, change repositories.Change, by access.Principal) (repositories.Repository, error)
}

// UpdateRepositoryRequest sets what it names; everything else stays.
type UpdateRepositoryRequest struct {
	Name         *string            `json:"name"`
	URL          *string            `json:"url"`
	Branch       *string            `json:"branch"`        // "": the remote's default branch, unless tag or semver is set
	Tag          *string            `json:"tag"`           // of branch, tag and semver one that is set ends the others
	Semver       *string            `json:"semver"`        // range of versions such as ^1.2: the highest tag in it is deployed
	CredentialID *core.CredentialID `json:"credential_id"` // "": read anonymously from now on
	// CommitStatuses is off, github, gitea (Forgejo too) or gitlab: how the Git host is told of deployments, with the repository's key.
	CommitStatuses *string        `json:"commit_statuses"`
	Follow         *FollowRequest `json:"follow"` // what becomes of the repository's folders by themselves
}

// UpdateRepository edits a repository.
func UpdateRepository(updater RepositoryUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[UpdateRepositoryRequest](r)
		if err != nil {
			return err
		}
		updated, err := updater.Update(r.Context(), id, repositories.Change{
			Name: ask.Name, URL: ask.URL, Branch: ask.Branch, Tag: ask.Tag, Semver: ask.Semver, Credential: ask.CredentialID, Statuses: readStatuses(ask.CommitStatuses), Following: ask.Follow.change(),
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRepository(updated))
	})
}
