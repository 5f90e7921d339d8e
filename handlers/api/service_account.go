package api

import (
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
)

// ServiceAccount is a program that uses the API.
type ServiceAccount struct {
	ID        core.ServiceAccountID `json:"id"`
	Name      string                `json:"name"`
	Role      access.Role           `json:"role"`
	Disabled  bool                  `json:"disabled"`
	CreatedAt time.Time             `json:"created_at"`
	UpdatedAt time.Time             `json:"updated_at"`
	Keys      []APIKey              `json:"keys"` // oldest first
}

// APIKey is what may be shown of a key after it was made.
type APIKey struct {
	ID        core.APIKeyID `json:"id"`
	Name      string        `json:"name"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt *time.Time    `json:"expires_at"` // null: never
	// When it was last used, and from where, noted every five minutes at most; null and "": never.
	LastUsedAt   *time.Time `json:"last_used_at"`
	LastUsedFrom string     `json:"last_used_from"`
	// The key that it was rotated to, until whose taking over it works; such a key is not rotated again. "": none.
	FollowedBy core.APIKeyID `json:"followed_by"`
}

func showAccount(a identity.ServiceAccount) ServiceAccount {
	shown := ServiceAccount{ID: a.ID, Name: a.Name, Role: a.Role, Disabled: a.Disabled, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
		Keys: make([]APIKey, len(a.Keys))}
	for i, key := range a.Keys {
		shown.Keys[i] = showKey(key)
	}
	return shown
}

func showKey(k identity.APIKey) APIKey {
	return APIKey{ID: k.ID, Name: k.Name, CreatedAt: k.CreatedAt, ExpiresAt: optionalTime(k.ExpiresAt), LastUsedAt: optionalTime(k.LastUsedAt), LastUsedFrom: k.LastUsedFrom, FollowedBy: k.FollowedBy}
}
