package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

// RepositoryAnswer is a repository as the API shows it.
type RepositoryAnswer struct {
	ID           core.RepositoryID `json:"id"`
	Name         string            `json:"name"`
	URL          string            `json:"url"`
	Branch       string            `json:"branch"`        // "", with tag and semver: the remote's default branch
	Tag          string            `json:"tag"`           // that is deployed in place of a branch; "": none
	Semver       string            `json:"semver"`        // range of versions, of which the highest tag is deployed in place of a branch; "": none
	CredentialID core.CredentialID `json:"credential_id"` // "": read anonymously
	Head         core.Commit       `json:"head"`          // commit that was last fetched; "": none yet
	Ref          string            `json:"ref"`           // branch or tag that the head was found under, such as refs/tags/v1.4.2; "": not known
	MovedTo      string            `json:"moved_to"`      // address that the Git host redirects to; "": none
	FetchedAt    *time.Time        `json:"fetched_at"`    // when the head came in or reading worked again; null: never
	ErrorCode    string            `json:"error_code"`    // why the last look failed; "": it did not
	Error        string            `json:"error"`
	AskedAt      *time.Time        `json:"asked_at"` // a look was asked for and is not done yet; null: none
	AskedBy      string            `json:"asked_by"`
	AgePublicKey string            `json:"sops_age_public_key"` // age1…: what a secrets.yaml is encrypted for; "": the hub makes it when it starts
	// CommitStatuses is off, github, gitea or gitlab: how the Git host is told of deployments.
	CommitStatuses          string       `json:"commit_statuses"`
	CommitStatusesProblem   string       `json:"commit_statuses_problem"`    // why it could not be told last; "": it could, or was not
	CommitStatusesProblemAt *time.Time   `json:"commit_statuses_problem_at"` // null: there is none
	Follow                  FollowAnswer `json:"follow"`
	CreatedAt               time.Time    `json:"created_at"`
	UpdatedAt               time.Time    `json:"updated_at"`
}

func showRepository(r repositories.Repository) RepositoryAnswer {
	return RepositoryAnswer{
		ID: r.ID, Name: r.Name, URL: r.URL, Branch: r.Branch, Tag: r.Tag, Semver: r.Semver, Ref: r.Ref, MovedTo: r.MovedTo, CredentialID: r.Credential, Head: r.Head, FetchedAt: optionalTime(r.FetchedAt),
		ErrorCode: r.ErrorCode, Error: r.Error, AskedAt: optionalTime(r.AskedAt), AskedBy: r.AskedBy, AgePublicKey: r.AgePublicKey, CommitStatuses: showStatuses(r.Statuses), CommitStatusesProblem: r.StatusTrouble.Text, CommitStatusesProblemAt: optionalTime(r.StatusTrouble.At), Follow: showFollowing(r.Following), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// statusesOff is what the API calls that nobody is told.
const statusesOff = "off"

func showStatuses(h repositories.StatusHost) string {
	if h == repositories.StatusesOff {
		return statusesOff
	}
	return string(h)
}

func readStatuses(said *string) *repositories.StatusHost {
	if said == nil {
		return nil
	}
	host := repositories.StatusHost(*said)
	if *said == statusesOff {
		host = repositories.StatusesOff
	}
	return &host
}

// RepositoryFinder finds one repository; NotFound "repository.not_found".
type RepositoryFinder interface {
	Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error)
}

func repositoryID(r *http.Request) (core.RepositoryID, error) {
	return pathID[core.RepositoryID](r, core.PrefixRepository, fault.New(fault.NotFound, "repository.not_found", "There is no such repository."))
}

// namedRepository finds the repository that the path names.
func namedRepository(r *http.Request, finder RepositoryFinder) (repositories.Repository, error) {
	id, err := repositoryID(r)
	if err != nil {
		return repositories.Repository{}, err
	}
	return finder.Repository(r.Context(), id)
}
