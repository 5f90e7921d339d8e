package api

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// InvitationAccepter makes the accounts of invited people; see identity.People.
type InvitationAccepter interface {
	Accept(ctx context.Context, who access.Principal, link, name string, password secrets.Value) (identity.User, error)
}

// AcceptRequest is what an invited person chooses.
type AcceptRequest struct {
	Name     string `json:"name" required:"yes"`     // 1 to 100 characters
	Password string `json:"password" required:"yes"` // 12 to 256 bytes
}

// AcceptInvitation makes the account that an invitation offers. The person signs in with it afterwards.
func AcceptInvitation(people InvitationAccepter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[AcceptRequest](r)
		if err != nil {
			return err
		}
		user, err := people.Accept(r.Context(), endpoint.Principal(r.Context()), r.PathValue("token"), ask.Name, secrets.NewValue(ask.Password))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showUser(user))
	})
}
