package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
	"berth/handlers/endpoint"
)

// InvitationLister lists invitations.
type InvitationLister interface {
	// Invitations lists those that are open, oldest first.
	Invitations(ctx context.Context, page core.Page) (core.List[identity.Invitation], error)
}

// InvitationRevoker revokes invitations.
type InvitationRevoker interface {
	// DeleteInvitation revokes an invitation. NotFound "invitation.not_found".
	DeleteInvitation(ctx context.Context, who access.Principal, id core.InvitationID) error
}

// Inviter invites people; see identity.People.
type Inviter interface {
	Invite(ctx context.Context, who access.Principal, email string, role access.Role) (identity.Invitation, seal.Token, error)
}

// Invitation lets one person make their own account.
type Invitation struct {
	ID        core.InvitationID `json:"id"`
	Email     string            `json:"email"`
	Role      access.Role       `json:"role"`
	InvitedBy string            `json:"invited_by"` // e-mail address of a user or name of a service account
	CreatedAt time.Time         `json:"created_at"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// InvitationRequest invites a person.
type InvitationRequest struct {
	Email string      `json:"email" required:"yes"` // the account's, which they cannot choose
	Role  access.Role `json:"role" required:"yes"`  // viewer, monitoring, operator or admin
}

// IssuedInvitation is the only answer that ever shows the link.
type IssuedInvitation struct {
	Invitation
	Link string `json:"link"` // whoever opens it makes the account: hand it over in confidence
	Sent bool   `json:"sent"` // an e-mail with the link is on its way to them
}

func showInvitation(i identity.Invitation) Invitation {
	return Invitation{ID: i.ID, Email: i.Email, Role: i.Role, InvitedBy: i.ByName, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
}

// ListInvitations lists those that are open, oldest first.
func ListInvitations(invitations InvitationLister) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := invitations.Invitations(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showInvitation)
	})
}

// Invite invites a person and shows the link, this once. app is where browsers find this server.
func Invite(people Inviter, app string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[InvitationRequest](r)
		if err != nil {
			return err
		}
		made, token, err := people.Invite(r.Context(), endpoint.Principal(r.Context()), ask.Email, ask.Role)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, IssuedInvitation{showInvitation(made), app + "/invites/" + token.Reveal(), made.Sent})
	})
}

var errNoInvitation = fault.New(fault.NotFound, "invitation.not_found", "There is no such invitation. It may have been used, revoked or have expired.")

// RevokeInvitation makes an invitation's link good no more.
func RevokeInvitation(invitations InvitationRevoker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := pathID[core.InvitationID](r, core.PrefixInvitation, errNoInvitation)
		if err != nil {
			return err
		}
		if err := invitations.DeleteInvitation(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
