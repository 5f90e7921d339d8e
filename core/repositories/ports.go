package repositories

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
	"berth/core/secrets"
)

// Store keeps repositories and credentials. Each method is one transaction, and what it
// is told to audit is written in the same one.
type Store interface {
	// AddRepository stores r. Conflict "repository.name_taken", "repository.limit"; Invalid
	// "input.reference" when its credential is unknown, "credential.other_host" when that
	// does not fit.
	AddRepository(ctx context.Context, r Repository, e access.AuditEvent) (Repository, error)
	// EditRepository applies a change and asks the same of the result as AddRepository.
	// NotFound "repository.not_found".
	EditRepository(ctx context.Context, id core.RepositoryID, c Change, by access.Principal) (Repository, error)
	// AgeKey returns a repository's key pair, the private key sealed; empty when it has none yet.
	AgeKey(ctx context.Context, id core.RepositoryID) (public string, private seal.Sealed, err error)
	// ReplaceAgeKey puts a key pair in place of the one with the public key before; Conflict
	// "repository.key_moved" when it has another by now. e is nil for the first pair, which nobody asked for.
	ReplaceAgeKey(ctx context.Context, id core.RepositoryID, before, public string, private seal.Sealed, e *access.AuditEvent) (Repository, error)
	// WithoutAgeKey lists repositories that have no key pair yet.
	WithoutAgeKey(ctx context.Context, limit int) ([]core.RepositoryID, error)
	// DeleteRepository removes a repository. Conflict "repository.in_use" naming its stacks.
	DeleteRepository(ctx context.Context, id core.RepositoryID, by access.Principal) error
	// AskSync marks a repository as asked for at a time.
	AskSync(ctx context.Context, id core.RepositoryID, at time.Time, by access.Principal) (Repository, error)
	// Repository returns one repository. NotFound "repository.not_found".
	Repository(ctx context.Context, id core.RepositoryID) (Repository, error)
	// RepositoryList returns repositories by name; the cursor is the last name.
	RepositoryList(ctx context.Context, p core.Page) (core.List[Repository], error)
	// RepositoryEvents returns what happened to a repository, newest first; the cursor is the last identifier. NotFound
	// "repository.not_found".
	RepositoryEvents(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[Event], error)

	// AddCredential stores c with its sealed secret. Conflict "credential.name_taken".
	AddCredential(ctx context.Context, c Credential, secret seal.Sealed, e access.AuditEvent) error
	// EditCredential applies a change, and has repositories that are read with the credential looked at when its
	// secret was replaced. NotFound "credential.not_found"; Conflict "credential.name_taken".
	EditCredential(ctx context.Context, id core.CredentialID, c CredentialEdit, by access.Principal) (Credential, error)
	// CredentialList returns credentials by name, each with who uses it; the cursor is the last name.
	CredentialList(ctx context.Context, p core.Page) (core.List[Credential], error)
	// Credential returns one credential with its sealed secret. NotFound "credential.not_found".
	Credential(ctx context.Context, id core.CredentialID) (Credential, seal.Sealed, error)
	// DeleteCredential removes a credential. Conflict "credential.in_use" naming its repositories; those of one of
	// TypeOAuth lose it instead, and are looked at.
	DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error

	// SSHHost returns what was accepted for a host:port; nothing of it: no keys.
	SSHHost(ctx context.Context, address string) (SSHHost, error)
	// SSHHostList returns hosts by address; the cursor is the last address.
	SSHHostList(ctx context.Context, p core.Page) (core.List[SSHHost], error)
	// AcceptSSHHost stores a host's keys in place of those that it had, and has repositories there looked at
	// whose last look ended at its key.
	AcceptSSHHost(ctx context.Context, h SSHHost, by access.Principal) error
	// ForgetSSHHost removes a host's keys. NotFound "ssh_host.not_found".
	ForgetSSHHost(ctx context.Context, address string, by access.Principal) error
}

// Seals closes and opens secret columns; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// KeyPair is an age key pair: who has the public key can write secrets files that only the private one opens.
type KeyPair struct {
	Public  string // age1…
	Private secrets.Value
}

// KeyMaker makes new age key pairs; hub/adapter/agekey does.
type KeyMaker interface {
	NewKeyPair() (KeyPair, error)
}

// FileCipher reads and writes the form of secrets files; hub/adapter/sops does. Its faults have codes
// that begin with "sops." and hold no value.
type FileCipher interface {
	// Encrypt returns the file that holds values, for the owner of a public key.
	Encrypt(values map[string]secrets.Value, public string) ([]byte, error)
	// Names returns the names that a file gives values to, without opening those.
	Names(content []byte) ([]string, error)
	// Decrypt returns a file's values by name. It proves that nothing in the file was changed.
	Decrypt(content []byte, keys KeyPair) (map[string]secrets.Value, error)
}

// Prober asks a Git host whether it answers with a source's credential. Its faults are
// those of core.GitRemote.Head. It honours the context's deadline.
type Prober interface {
	Probe(ctx context.Context, src core.GitSource) error
}

// HeadProber is a Prober where the Git host can be asked from this very process.
type HeadProber struct{ Git core.GitRemote }

// Probe asks for the branch's head; nothing is fetched.
func (p HeadProber) Probe(ctx context.Context, src core.GitSource) error {
	_, err := p.Git.Head(ctx, src)
	return err
}
