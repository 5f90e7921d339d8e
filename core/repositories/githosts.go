package repositories

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// GitHostStore keeps what connections with Git hosts need. Each method is one transaction.
type GitHostStore interface {
	// SpendState notes that a state came back, until it has expired. Conflict "git_provider.state_used" when it did before.
	SpendState(ctx context.Context, nonce string, until time.Time) error
	// Connect stores the key of an account on a host, sealed for the credential that seal is told: the one that the
	// account has there already, whose token it replaces, or the one that is given, which is new then.
	Connect(ctx context.Context, c Credential, seal func(Credential) (seal.Sealed, error), by access.Principal) (Credential, error)
	// Connection returns the newest oauth key for a host that somebody connected, by the name that audit shows, with
	// its sealed token. NotFound "credential.not_found".
	Connection(ctx context.Context, host, by string) (Credential, seal.Sealed, error)
	// Credential returns one key with its sealed token. NotFound "credential.not_found".
	Credential(ctx context.Context, id core.CredentialID) (Credential, seal.Sealed, error)
	// ClaimRenewal lets one process renew a key's token until a time; false when another has that right.
	ClaimRenewal(ctx context.Context, id core.CredentialID, until time.Time) (bool, error)
	// Renewed stores the token that a renewal brought.
	Renewed(ctx context.Context, id core.CredentialID, token seal.Sealed, expires time.Time) error
}

// GitHosts holds the use cases of Git hosts that people connect with OAuth: the trip there and back, and the lists
// that a key shows. It keeps nothing between two calls. Its fields are set once.
type GitHosts struct {
	store GitHostStore
	seals Seals
	macs  MACs
	hosts []GitHost
	app   string
	now   core.Clock
}

// NewGitHosts returns the use cases on some hosts. app is APP_URL, from which the callback addresses are made.
func NewGitHosts(store GitHostStore, seals Seals, macs MACs, hosts []GitHost, app string, now core.Clock) *GitHosts {
	return &GitHosts{store: store, seals: seals, macs: macs, hosts: hosts, app: app, now: now}
}

// Providers returns the hosts that people can connect to; none when none is configured.
func (h *GitHosts) Providers() []HostFacts {
	all := make([]HostFacts, len(h.hosts))
	for i, host := range h.hosts {
		all[i] = host.Facts()
	}
	return all
}

// Callback is the address that a host sends browsers back to, as its OAuth app must be registered.
func (h *GitHosts) Callback(slug string) string {
	return h.app + "/api/custom/git-providers/" + slug + "/callback"
}

// Begin returns where to send the browser of whoever wants to connect. NotFound "git_provider.unknown".
func (h *GitHosts) Begin(slug string, by access.Principal) (string, error) {
	host, err := h.host(slug)
	if err != nil {
		return "", err
	}
	return host.AuthorizationURL(h.trip(slug, newState(h.macs, slug, by, h.now()))), nil
}

func (h *GitHosts) trip(slug, state string) Trip {
	return Trip{State: state, Verifier: verifierOf(h.macs, state), Callback: h.Callback(slug)}
}

// HostAnswer is what a browser brought back from a Git host.
type HostAnswer struct {
	State string
	Code  string
	Error string // of RFC 6749, section 4.1.2.1; empty: none
}

// Finish ends a trip: it stores the key that the host gave. An account that was connected before keeps its key,
// with the new token in it, so that repositories that use it can be read again.
func (h *GitHosts) Finish(ctx context.Context, slug string, a HostAnswer, by access.Principal) (Credential, error) {
	host, err := h.host(slug)
	if err != nil {
		return Credential{}, err
	}
	state, err := readState(h.macs, slug, a.State, by, h.now())
	if err != nil {
		return Credential{}, err
	}
	if err := h.store.SpendState(ctx, state.nonce, state.until); err != nil {
		return Credential{}, err
	}
	if err := refusal(host.Facts(), a); err != nil {
		return Credential{}, err
	}
	grant, err := host.Exchange(ctx, h.trip(slug, a.State), a.Code)
	if err != nil {
		return Credential{}, err
	}
	return h.keep(ctx, host.Facts(), grant, by)
}

func (h *GitHosts) keep(ctx context.Context, of HostFacts, grant Grant, by access.Principal) (Credential, error) {
	now := h.now()
	c := Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, now)), Name: of.Name + ": " + grant.Account, Type: TypeOAuth, Host: of.Host,
		Username: grant.Username, Account: grant.Account, ConnectedBy: by.Name, ExpiresAt: grant.ExpiresAt, CreatedAt: now}
	kept, err := h.store.Connect(ctx, c, func(c Credential) (seal.Sealed, error) { return h.seals.Seal(c.place(), sealable(grant)) }, by)
	if err != nil {
		return Credential{}, fmt.Errorf("keep the key of %s: %w", of.Name, err)
	}
	return kept, nil
}

// oauthError is what the errors of RFC 6749 look like.
var oauthError = regexp.MustCompile(`^[a-z_]{1,64}$`)

// refusal is the fault for a browser that brought no code.
func refusal(of HostFacts, a HostAnswer) error {
	switch {
	case a.Error == "access_denied":
		return fault.New(fault.Conflict, "git_provider.denied", "%s was not allowed to let this server in: whoever was asked there declined. %s", of.Name, connectAgain)
	case oauthError.MatchString(a.Error):
		return fault.New(fault.Conflict, "git_provider.exchange", "%s refuses the connection and gives %q as its reason. Check the OAuth app there: its callback address has to be the one in the README, to the letter. %s", of.Name, a.Error, connectAgain)
	case a.Error != "" || a.Code == "" || len(a.Code) > maxCode:
		return fault.New(fault.Conflict, "git_provider.exchange", "%s sent the browser back without a code that could be used. %s", of.Name, connectAgain)
	}
	return nil
}

const maxCode = 2048 // bytes

// host returns a host by its slug.
func (h *GitHosts) host(slug string) (GitHost, error) {
	i := slices.IndexFunc(h.hosts, func(host GitHost) bool { return host.Facts().Slug == slug })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "git_provider.unknown", "This server is not set up to connect to such a Git host. Its client ID and secret are variables of the server; the README lists them.")
	}
	return h.hosts[i], nil
}
