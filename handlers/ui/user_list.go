package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/core/seal"
	"berth/handlers/endpoint"
)

// UserKeeper lists users and invitations, changes users' role or bars them, and removes both; never the last
// administrator.
type UserKeeper interface {
	Users(ctx context.Context, ask core.Page) (core.List[identity.User], error)
	ChangeUser(ctx context.Context, who access.Principal, id core.UserID, change identity.UserChange) (identity.User, error)
	DeleteUser(ctx context.Context, who access.Principal, id core.UserID) error
	Invitations(ctx context.Context, ask core.Page) (core.List[identity.Invitation], error)
	DeleteInvitation(ctx context.Context, who access.Principal, id core.InvitationID) error
}

// Inviter invites people; see identity.People.
type Inviter interface {
	Invite(ctx context.Context, who access.Principal, email string, role access.Role) (identity.Invitation, seal.Token, error)
}

type userListPage struct {
	Lines   []userLine
	More    string
	Invites []inviteLine
	Trouble string
	Email   input
	Role    choice
	Issued  bool // an invitation was just made; this is the only page that shows its link
	Sent    bool // an e-mail with the link is on its way
	Link    copyable
	For     string // whom the link is for
	Until   moment
}

type userLine struct {
	Name, Email, Href string
	Role              string
	Disabled          bool
	SecondFactor      bool
	SignOn            bool // single sign-on made the account, and says its role
	Self              bool // who looks at the page
	Added             moment
}

type inviteLine struct {
	Email, Role, By string
	Until           moment
	RevokeHref      string
}

var userListView = newView[userListPage]("user_list.html")

// Users lists the people who may sign in, oldest first, and who is invited.
func Users(keeper UserKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeUsers(w, r, http.StatusOK, keeper, newUserListPage("", access.RoleViewer), now())
	})
}

// Invite makes an invitation. The answer is the only page that ever shows its link, so it is no redirect.
func Invite(keeper UserKeeper, people Inviter, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newUserListPage(form.Get("email"), access.Role(form.Get("role")))
		made, token, err := people.Invite(r.Context(), endpoint.Principal(r.Context()), form.Get("email"), access.Role(form.Get("role")))
		if err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			page.Role.Problem = c.about("role")
			page.Trouble = c.on(&page.Email)
			return writeUsers(w, r, c.Status, keeper, page, now())
		}
		page = newUserListPage("", made.Role)
		page.Issued, page.Sent, page.For, page.Until = true, made.Sent, made.Email, at(made.ExpiresAt, now())
		page.Link = copyable{"made-link", "Link of the invitation", app + "/invites/" + token.Reveal()}
		return writeUsers(w, r, http.StatusCreated, keeper, page, now())
	})
}

// RevokeInvitation makes an invitation good no more.
func RevokeInvitation(keeper UserKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := keeper.DeleteInvitation(r.Context(), endpoint.Principal(r.Context()), core.InvitationID(r.PathValue("id"))); err != nil {
			return err
		}
		return seeOther(w, r, saying("/users", "invitation-gone"))
	})
}

func newUserListPage(email string, role access.Role) userListPage {
	return userListPage{Role: roleChoice(role),
		Email: input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "off", Value: exact(email), Sample: "ada@example.org", Hint: "They sign in with it."}}
}

func writeUsers(w http.ResponseWriter, r *http.Request, status int, keeper UserKeeper, page userListPage, now time.Time) error {
	ask, err := partOf(r)
	if err != nil {
		return err
	}
	list, err := keeper.Users(r.Context(), ask)
	if err != nil {
		return err
	}
	page.More = following(r.URL, list.Next)
	for _, u := range list.Items {
		page.Lines = append(page.Lines, userOf(r, u, now))
	}
	open, err := keeper.Invitations(r.Context(), core.Page{Limit: core.MaxPage})
	if err != nil {
		return err
	}
	for _, i := range open.Items {
		page.Invites = append(page.Invites, inviteLine{Email: i.Email, Role: string(i.Role), By: i.ByName, Until: at(i.ExpiresAt, now), RevokeHref: "/users/invites/" + string(i.ID) + "/delete"})
	}
	f := newFrame(r, inUsers, "Users")
	f.Problem = status >= http.StatusBadRequest
	return userListView.write(w, r, status, f, page)
}

func userOf(r *http.Request, u identity.User, now time.Time) userLine {
	return userLine{Name: u.Name, Email: u.Email, Href: "/users/" + string(u.ID), Role: string(u.Role), Disabled: u.Disabled, SecondFactor: u.SecondFactor, SignOn: u.SignOn,
		Self: endpoint.Principal(r.Context()).ID == string(u.ID), Added: at(u.CreatedAt, now)}
}
