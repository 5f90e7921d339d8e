package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SecretsFiles writes secrets files and tells what those of stacks provide: repositories.SecretsReader
// does, where the mirrors are.
type SecretsFiles interface {
	SecretsEncrypter
	SecretsLister
}

// SecretsEncrypter encrypts values for a repository's key and keeps nothing of them.
type SecretsEncrypter interface {
	Encrypt(ctx context.Context, id core.RepositoryID, values map[string]secrets.Value) ([]byte, error)
}

// KeyRotator gives repositories new age keys.
type KeyRotator interface {
	RotateKey(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Repository, error)
}

// RotateKeyAnswer is a repository's new public key.
type RotateKeyAnswer struct {
	PublicKey string `json:"sops_age_public_key"`
}

// RotateKey replaces a repository's age key pair. What is encrypted for the old one can never be
// decrypted here again.
func RotateKey(rotator KeyRotator) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := repositoryID(r)
		if err != nil {
			return err
		}
		repository, err := rotator.RotateKey(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, RotateKeyAnswer{PublicKey: repository.AgePublicKey})
	})
}

// EncryptSecretsRequest is what a secrets file is to hold.
type EncryptSecretsRequest struct {
	Values map[string]string `json:"values" required:"yes"` // by name, 1 to 1000; kept nowhere
}

// EncryptSecretsAnswer is a secrets file, to be committed beside a stack's manifest.
type EncryptSecretsAnswer struct {
	Filename string `json:"filename"` // secrets.yaml
	Content  string `json:"content"`  // encrypted YAML, as sops reads it
}

// EncryptSecrets encrypts values for a repository's public key. Nothing of them is kept, logged or audited.
func EncryptSecrets(finder RepositoryFinder, encrypter SecretsEncrypter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[EncryptSecretsRequest](r)
		if err != nil {
			return err
		}
		repository, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		values := make(map[string]secrets.Value, len(ask.Values))
		for name, value := range ask.Values {
			values[name] = secrets.NewValue(value)
		}
		content, err := encrypter.Encrypt(r.Context(), repository.ID, values)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, EncryptSecretsAnswer{Filename: repositories.SecretsFile, Content: string(content)})
	})
}
