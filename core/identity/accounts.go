package identity

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// AccountStore keeps service accounts and their keys, and audits each change in the
// transaction that makes it.
type AccountStore interface {
	// AddServiceAccount stores a new account. Conflict "service_account.name_taken".
	AddServiceAccount(ctx context.Context, who access.Principal, account ServiceAccount) error
	// AddAPIKey stores a new key. NotFound "service_account.not_found", Conflict "api_key.too_many".
	AddAPIKey(ctx context.Context, who access.Principal, key APIKey, mac []byte) error
	// RotateAPIKey stores a key that follows another of its account, which ends at until unless it ends before. NotFound
	// "api_key.not_found", Conflict "api_key.too_many", "api_key.expired", "api_key.followed" when another follows it already. It returns the key as stored: it has the old one's
	// name, and as long a life.
	RotateAPIKey(ctx context.Context, who access.Principal, old core.APIKeyID, key APIKey, mac []byte, until time.Time) (APIKey, error)
}

// Accounts makes service accounts and their API keys. What needs no decision, listing,
// changing and deleting them, is the store's alone.
type Accounts struct {
	store AccountStore
	macs  MACs
	now   core.Clock
}

// NewAccounts returns an Accounts.
func NewAccounts(store AccountStore, macs MACs, now core.Clock) *Accounts {
	return &Accounts{store: store, macs: macs, now: now}
}

// Create makes a service account without keys. Invalid "service_account.invalid",
// Conflict "service_account.name_taken".
func (a *Accounts) Create(ctx context.Context, who access.Principal, name string, role access.Role) (ServiceAccount, error) {
	if err := fault.BadFields("service_account.invalid", checkRole(checkName(nil, name), role)); err != nil {
		return ServiceAccount{}, err
	}
	now := stamp(a.now)
	account := ServiceAccount{ID: core.ServiceAccountID(core.NewID(core.PrefixServiceAccount, now)), Name: name, Role: role, CreatedAt: now, UpdatedAt: now}
	return account, a.store.AddServiceAccount(ctx, who, account)
}

// IssueKey makes an API key; the token is shown to the caller once and kept by nobody. A
// zero expires means never. Invalid "api_key.invalid", and what AddAPIKey says.
func (a *Accounts) IssueKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, name string, expires time.Time) (APIKey, seal.Token, error) {
	now := stamp(a.now)
	bad := checkName(nil, name)
	if !expires.IsZero() && !expires.After(now) {
		bad = append(bad, fault.Field{Path: "expires_at", Problem: "must be in the future; leave it out for a key that does not expire"})
	}
	if err := fault.BadFields("api_key.invalid", bad); err != nil {
		return APIKey{}, seal.Token{}, err
	}
	key := APIKey{ID: core.APIKeyID(core.NewID(core.PrefixAPIKey, now)), Account: account, Name: name, CreatedAt: now, ExpiresAt: expires.UTC().Truncate(time.Microsecond)}
	token := seal.NewToken(seal.TokenAPIKey, string(key.ID))
	return key, token, a.store.AddAPIKey(ctx, who, key, a.macs.MACToken(token))
}

// MaxOverlap is how long a key and the one that follows it may both be good.
const MaxOverlap = 30 * 24 * time.Hour

// RotateKey makes the key that follows another, with its name and as long a life. Both are good for as long as overlap says, from 0
// to MaxOverlap, so that programs can be told the new one while the old one still works. The token is shown once, as
// IssueKey's. Invalid "api_key.invalid", and what RotateAPIKey says.
func (a *Accounts) RotateKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, old core.APIKeyID, overlap time.Duration) (APIKey, seal.Token, error) {
	if overlap < 0 || overlap > MaxOverlap {
		return APIKey{}, seal.Token{}, fault.BadFields("api_key.invalid", []fault.Field{{Path: "overlap", Problem: "must be from 0s to 720h, which is 30 days"}})
	}
	now := stamp(a.now)
	key := APIKey{ID: core.APIKeyID(core.NewID(core.PrefixAPIKey, now)), Account: account, CreatedAt: now}
	token := seal.NewToken(seal.TokenAPIKey, string(key.ID))
	key, err := a.store.RotateAPIKey(ctx, who, old, key, a.macs.MACToken(token), now.Add(overlap))
	return key, token, err
}
