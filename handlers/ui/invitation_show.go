package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// InvitationReader reads and accepts invitations by their link; see identity.People.
type InvitationReader interface {
	Invited(ctx context.Context, who access.Principal, link string) (identity.Invitation, error)
	Accept(ctx context.Context, who access.Principal, link, name string, password secrets.Value) (identity.User, error)
}

type invitationPage struct {
	Email, Role, By string
	Until           moment
	Action          string
	Trouble         string
	Name, Password  input
}

var invitationView = newView[invitationPage]("invitation_show.html")

// Invitation shows what an invitation offers, and the form that accepts it.
func Invitation(people InvitationReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeInvitation(w, r, http.StatusOK, people, invitationPage{}, now())
	})
}

// AcceptInvitation makes the account and signs its person in.
func AcceptInvitation(people InvitationReader, sessions SessionOpener, now core.Clock, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		password := secrets.NewValue(form.Get("password"))
		user, err := people.Accept(r.Context(), endpoint.Principal(r.Context()), r.PathValue("token"), form.Get("name"), password)
		if err != nil {
			c, ours := complain(r, err)
			if !ours || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
				return err
			}
			page := invitationPage{Name: input{Value: exact(form.Get("name"))}}
			page.fields()
			page.Trouble = c.on(&page.Name, &page.Password)
			return writeInvitation(w, r, c.Status, people, page, now())
		}
		session, err := sessions.Open(r.Context(), endpoint.Principal(r.Context()), user.Email, password)
		if err == nil {
			endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		} // otherwise they sign in by hand: the account is made
		return seeOther(w, r, "/profile")
	})
}

// fields fills the form, unless that was done.
func (p *invitationPage) fields() {
	if p.Name.Name != "" {
		return
	}
	p.Name = input{Name: "name", Label: "Your name", Kind: "text", Complete: "name", Value: p.Name.Value, Focus: true}
	p.Password = freshPassword("password", "Password")
}

func freshPassword(name, label string) input {
	return input{Name: name, Label: label, Kind: "password", Complete: "new-password", Hint: "At least 12 characters. A few unrelated words make a good one."}
}

func writeInvitation(w http.ResponseWriter, r *http.Request, status int, people InvitationReader, page invitationPage, now time.Time) error {
	token := r.PathValue("token")
	offer, err := people.Invited(r.Context(), endpoint.Principal(r.Context()), token)
	if err != nil {
		return err
	}
	page.fields()
	page.Email, page.Role, page.By, page.Until, page.Action = offer.Email, roleWords[offer.Role], offer.ByName, at(offer.ExpiresAt, now), "/invites/"+token
	return invitationView.write(w, r, status, bareFrame(r, "You are invited", status), page)
}

// bareFrame is the frame of a page about somebody who is not signed in, whoever is.
func bareFrame(r *http.Request, title string, status int) frame {
	f := newFrame(r, inNothing, title)
	f.Problem, f.Who = status >= http.StatusBadRequest, ""
	return f
}
