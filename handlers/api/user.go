package api

import (
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
)

// User is a person who signs in.
type User struct {
	ID           core.UserID `json:"id"`
	Email        string      `json:"email"`
	Name         string      `json:"name"`
	Role         access.Role `json:"role"`
	Disabled     bool        `json:"disabled"`
	SecondFactor bool        `json:"second_factor"`  // signing in takes a code too
	SignOn       bool        `json:"single_sign_on"` // made by single sign-on, which says the role at each sign-in there
	CreatedAt    time.Time   `json:"created_at"`
	UpdatedAt    time.Time   `json:"updated_at"`
}

func showUser(u identity.User) User { return User(u) }
