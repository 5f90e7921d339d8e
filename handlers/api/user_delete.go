package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// UserDeleter deletes users.
type UserDeleter interface {
	// DeleteUser removes a user with their sessions. NotFound "user.not_found", Conflict "user.last_admin".
	DeleteUser(ctx context.Context, who access.Principal, id core.UserID) error
}

// DeleteUser deletes a user, unless nobody could administer afterwards.
func DeleteUser(users UserDeleter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := users.DeleteUser(r.Context(), endpoint.Principal(r.Context()), core.UserID(r.PathValue("id"))); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
