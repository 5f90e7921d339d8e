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
	Type     repositories.Type `json:"type" required:"yes"` // basic or ssh
	Host     string            `json:"host" required:"yes"` // host or host:port; the key is never sent to another
	Username string            `json:"username"`            // of type basic
	Password string            `json:"password"`            // of type basic: or access token; never shown again

	PrivateKey string `json:"private_key"` // of type ssh: OpenSSH's form or PEM; never shown again
	Passphrase string `json:"passphrase"`  // of private_key; it is not kept
	Generate   bool   `json:"generate"`    // of type ssh: an ed25519 key is made here, in place of private_key
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
			SSH: sshSecret(ask.PrivateKey, ask.Passphrase, ask.Generate),
		}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showRepositoryKey(created))
	})
}
