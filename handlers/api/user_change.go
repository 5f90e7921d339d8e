package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// UserChanger changes users.
type UserChanger interface {
	// ChangeUser changes a user and ends their sessions. NotFound "user.not_found",
	// Conflict "user.last_admin".
	ChangeUser(ctx context.Context, who access.Principal, id core.UserID, change identity.UserChange) (identity.User, error)
}

// UserChange changes a user; a field that is left out stays as it is.
type UserChange struct {
	Role     *access.Role `json:"role"`
	Disabled *bool        `json:"disabled"`
}

// ChangeUser changes a user's role, or bars them and lets them in again.
func ChangeUser(users UserChanger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[UserChange](r)
		if err != nil {
			return err
		}
		change := identity.UserChange(ask)
		if err := change.Check(); err != nil {
			return err
		}
		user, err := users.ChangeUser(r.Context(), endpoint.Principal(r.Context()), core.UserID(r.PathValue("id")), change)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showUser(user))
	})
}
