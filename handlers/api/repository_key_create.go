package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// RepositoryKeyCreator adds repository keys.
type RepositoryKeyCreator interface {
	CreateCredential(ctx context.Context, draft repositories.CredentialDraft, by access.Principal) (repositories.Credential, error)
}

// CreateRepositoryKeyRequest describes a repository key to be added.
type CreateRepositoryKeyRequest struct {
	Name     string            `json:"name" required:"yes"`
	Type     repositories.Type `json:"type" required:"yes"` // basic
	Host     string            `json:"host" required:"yes"` // host or host:port; the key is never sent to another
	Username string            `json:"username" required:"yes"`
	Password string            `json:"password" required:"yes"` // or access token; never shown again
}

// CreateRepositoryKey adds a repository key.
func CreateRepositoryKey(creator RepositoryKeyCreator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[CreateRepositoryKeyRequest](r)
		if err != nil {
			return err
		}
		created, err := creator.CreateCredential(r.Context(), repositories.CredentialDraft{
			Name: ask.Name, Type: ask.Type, Host: ask.Host, Username: ask.Username, Password: secrets.NewValue(ask.Password),
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showRepositoryKey(created))
	})
}
