package api

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// RepositoryTrier asks a Git host whether a repository can be read.
type RepositoryTrier interface {
	// TryOut returns nil when it can, and a fault "git.…" when the host says otherwise or
	// does not answer within 10 s.
	TryOut(ctx context.Context, t repositories.Trial) error
}

// TestRepositoryKeyRequest is an address with a stored key, or with a user name and
// password or a private key that are not stored, or with nothing.
type TestRepositoryKeyRequest struct {
	URL          string            `json:"url" required:"yes"`
	Branch       string            `json:"branch"` // "": the remote's default branch
	CredentialID core.CredentialID `json:"credential_id"`
	Username     string            `json:"username"`
	Password     string            `json:"password"`
	PrivateKey   string            `json:"private_key"`
	Passphrase   string            `json:"passphrase"` // of private_key
}

// TestRepositoryKeyAnswer says whether the repository can be read.
type TestRepositoryKeyAnswer struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code"`    // why not, for programs: git.credential_refused, git.unreachable, …
	Message string `json:"message"` // why not, for people
}

// TestRepositoryKey answers 200 with what the Git host said, good or bad.
func TestRepositoryKey(trier RepositoryTrier) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[TestRepositoryKeyRequest](r)
		if err != nil {
			return err
		}
		err = trier.TryOut(r.Context(), repositories.Trial{
			URL: ask.URL, Branch: ask.Branch, Credential: ask.CredentialID, Username: ask.Username, Password: secrets.NewValue(ask.Password),
			SSH: sshSecret(ask.PrivateKey, ask.Passphrase, false),
		})
		if err == nil {
			return endpoint.JSON(w, http.StatusOK, TestRepositoryKeyAnswer{OK: true})
		}
		if code := fault.CodeOf(err); strings.HasPrefix(code, "git.") {
			return endpoint.JSON(w, http.StatusOK, TestRepositoryKeyAnswer{Code: code, Message: fault.PublicOf(err)})
		}
		return err
	})
}
