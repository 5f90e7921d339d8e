package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// UserLister lists users.
type UserLister interface {
	// Users lists users, oldest first.
	Users(ctx context.Context, page core.Page) (core.List[identity.User], error)
}

// ListUsers lists users, oldest first.
func ListUsers(users UserLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := users.Users(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showUser)
	})
}
