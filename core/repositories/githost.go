package repositories

import (
	"context"
	"time"

	"berth/core/secrets"
)

// GitHost is a Git host that people connect this server to with OAuth. hub/adapter/githost has those that
// exist. Faults of its methods have codes that begin with "git_provider.": Unavailable where trying again
// may help, Conflict "git_provider.revoked" when the host does not take the token any more. No fault holds
// anything that the host wrote, and no answer is read without a bound.
type GitHost interface {
	HostDoor
	HostLists
}

// HostFacts say which host it is.
type HostFacts struct {
	Slug    string // in addresses: github, gitea, gitlab
	Name    string // for people: "GitHub"
	Address string // scheme://host[:port]
	Host    string // host or host:port, as credentials are bound to it
}

// HostDoor is how a person lets this server in.
type HostDoor interface {
	Facts() HostFacts
	// AuthorizationURL is where the person's browser is sent.
	AuthorizationURL(t Trip) string
	// Exchange changes the code that the browser came back with for a token. Conflict "git_provider.exchange"
	// when the host refuses it, "git_provider.scopes" when the token may do less than was asked for.
	Exchange(ctx context.Context, t Trip, code string) (Grant, error)
	// Renew changes a refresh token, which is good once, for the next token.
	Renew(ctx context.Context, refresh secrets.Value) (Grant, error)
}

// HostLists is what a token shows of a host. Each method asks for a bounded number of pages; Truncated says that
// there is more.
type HostLists interface {
	// Organizations lists the person's own account first, and then what they are a member of.
	Organizations(ctx context.Context, token secrets.Value) (HostList[Organization], error)
	// Repositories lists those of an organization, by name. NotFound "git_provider.not_found".
	Repositories(ctx context.Context, token secrets.Value, organization string) (HostList[HostRepository], error)
	// Branches lists those of a repository, by name. NotFound "git_provider.not_found".
	Branches(ctx context.Context, token secrets.Value, repository string) (HostList[string], error)
}

// Trip is one journey of a browser to a Git host and back.
type Trip struct {
	State    string
	Verifier string // of PKCE (RFC 7636); the host gets its S256 challenge first
	Callback string
}

// Grant is what a host gave.
type Grant struct {
	Access    secrets.Value
	Refresh   secrets.Value // empty: the token does not expire
	ExpiresAt time.Time     // zero: never
	Account   string        // login of the person on the host; empty from Renew
	Username  string        // what goes before the token where Git asks for a user name; empty from Renew
}

// HostList is what a host lists.
type HostList[T any] struct {
	Items     []T
	Truncated bool // there are more than are listed
}

// Organization is whom repositories of a host belong to.
type Organization struct {
	ID   string // what Repositories takes
	Name string // for people
	Own  bool   // the account of the person who connected
}

// HostRepository is a repository as its host lists it.
type HostRepository struct {
	ID       string // what Branches takes: owner/name
	Name     string
	URL      string // where it is cloned from, https
	Default  string // branch; empty: it has none yet
	Private  bool
	Archived bool
}
