package identity

import (
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
)

// MaxKeys is how many API keys one service account may have.
const MaxKeys = 20

// ServiceAccount is a program that uses the API: a scraper, a pipeline.
type ServiceAccount struct {
	ID        core.ServiceAccountID
	Name      string // no two accounts share one
	Role      access.Role
	Disabled  bool // its keys are refused
	CreatedAt time.Time
	UpdatedAt time.Time
	Keys      []APIKey // oldest first
}

// Principal returns the account as who asks.
func (a ServiceAccount) Principal() access.Principal {
	return access.Principal{Kind: access.KindServiceAccount, ID: string(a.ID), Name: a.Name, Role: a.Role}
}

// APIKey is what may be shown of a key after it was made.
type APIKey struct {
	ID        core.APIKeyID
	Account   core.ServiceAccountID
	Name      string // for people
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	// LastUsedAt and LastUsedFrom tell of the last use that was noted, which is some minutes old at most: when, zero: never, and
	// from which address.
	LastUsedAt   time.Time
	LastUsedFrom string
	FollowedBy   core.APIKeyID // the key that it was rotated to, which may be gone by now; empty: it was not
}

// Expired reports whether the key is good no more at now.
func (k APIKey) Expired(now time.Time) bool { return !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt) }

// StoredKey is a key as it is kept, with its account as it is now.
type StoredKey struct {
	Key     APIKey
	MAC     []byte
	Account ServiceAccount // without Keys
}

// AccountChange is what an administrator changes about a service account; nil leaves it alone.
type AccountChange struct {
	Name     *string
	Role     *access.Role
	Disabled *bool
}

// Check returns what is wrong with the change.
func (c AccountChange) Check() error {
	var bad []fault.Field
	if c.Name != nil {
		bad = checkName(bad, *c.Name)
	}
	if c.Role != nil {
		bad = checkRole(bad, *c.Role)
	}
	return fault.BadFields("service_account.invalid", bad)
}
