package repositories

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
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
	// DeleteRepository removes a repository. Conflict "repository.in_use" naming its stacks.
	DeleteRepository(ctx context.Context, id core.RepositoryID, by access.Principal) error
	// AskSync marks a repository as asked for at a time.
	AskSync(ctx context.Context, id core.RepositoryID, at time.Time, by access.Principal) (Repository, error)
	// Repository returns one repository. NotFound "repository.not_found".
	Repository(ctx context.Context, id core.RepositoryID) (Repository, error)
	// RepositoryList returns repositories by name; the cursor is the last name.
	RepositoryList(ctx context.Context, p core.Page) (core.List[Repository], error)

	// AddCredential stores c with its sealed password. Conflict "credential.name_taken".
	AddCredential(ctx context.Context, c Credential, password seal.Sealed, e access.AuditEvent) error
	// CredentialList returns credentials by name, each with who uses it; the cursor is the last name.
	CredentialList(ctx context.Context, p core.Page) (core.List[Credential], error)
	// Credential returns one credential with its sealed password. NotFound "credential.not_found".
	Credential(ctx context.Context, id core.CredentialID) (Credential, seal.Sealed, error)
	// DeleteCredential removes a credential. Conflict "credential.in_use" naming its repositories.
	DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error
}

// Seals closes and opens secret columns; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
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
