package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// RepositoryKeyFinder reads one repository key.
type RepositoryKeyFinder interface {
	Credential(ctx context.Context, id core.CredentialID) (repositories.Credential, error)
}

// RepositoryKeyUpdater edits repository keys.
type RepositoryKeyUpdater interface {
	UpdateCredential(ctx context.Context, id core.CredentialID, c repositories.CredentialChange, by access.Principal) (repositories.Credential, error)
}

var errKeyMissing = fault.New(fault.NotFound, "credential.not_found", "There is no such repository key.")

// GetRepositoryKey answers with one repository key; who uses it stands in the list.
func GetRepositoryKey(finder RepositoryKeyFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.CredentialID](r, core.PrefixCredential, errKeyMissing)
		if err != nil {
			return err
		}
		found, err := finder.Credential(r.Context(), id)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRepositoryKey(found))
	})
}

// UpdateRepositoryKeyRequest is what an edit sets; what is left out stays. Type and host stay for good.
type UpdateRepositoryKeyRequest struct {
	Name       *string `json:"name"`
	Username   *string `json:"username"`    // of a key of type basic
	Password   string  `json:"password"`    // of a key of type basic: takes the old one's place at once
	PrivateKey string  `json:"private_key"` // of a key of type ssh: takes the old one's place at once
	Passphrase string  `json:"passphrase"`  // of private_key
	Generate   bool    `json:"generate"`    // of a key of type ssh: another one is made here
}

// UpdateRepositoryKey edits a repository key. Repositories that are read with it are looked at once its secret is another.
func UpdateRepositoryKey(updater RepositoryKeyUpdater) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.CredentialID](r, core.PrefixCredential, errKeyMissing)
		if err != nil {
			return err
		}
		ask, err := endpoint.Decode[UpdateRepositoryKeyRequest](r)
		if err != nil {
			return err
		}
		changed, err := updater.UpdateCredential(r.Context(), id, repositories.CredentialChange{Name: ask.Name, Username: ask.Username,
			Password: secrets.NewValue(ask.Password), SSH: sshSecret(ask.PrivateKey, ask.Passphrase, ask.Generate)}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRepositoryKey(changed))
	})
}

func sshSecret(private, passphrase string, generate bool) repositories.SSHSecret {
	return repositories.SSHSecret{Private: secrets.NewValue(private), Passphrase: secrets.NewValue(passphrase), Generate: generate}
}
