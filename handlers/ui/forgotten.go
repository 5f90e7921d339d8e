package ui

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// Forgetter sends links for a new password; see identity.People.
type Forgetter interface {
	Mails(ctx context.Context) (bool, error)
	Forgot(ctx context.Context, who access.Principal, email string) error
}

type forgottenPage struct {
	Mails   bool // links are sent by e-mail
	Asked   bool // one was asked for just now
	To      string
	Trouble string
	Email   input
}

var forgottenView = newView[forgottenPage]("forgotten.html")

// Forgotten shows the form with which a link for a new password is asked for, or who has one where e-mail is not set up.
func Forgotten(people Forgetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeForgotten(w, r, http.StatusOK, people, newForgottenPage(""))
	})
}

// Forgot has a link sent, if there is such an account: the page does not tell.
func Forgot(people Forgetter) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newForgottenPage(form.Get("email"))
		err = people.Forgot(r.Context(), endpoint.Principal(r.Context()), form.Get("email"))
		if err == nil {
			page.Asked, page.To = true, form.Get("email")
			return writeForgotten(w, r, http.StatusOK, people, page)
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page.Trouble = c.on(&page.Email)
		return writeForgotten(w, r, c.Status, people, page)
	})
}

func newForgottenPage(email string) forgottenPage {
	return forgottenPage{Email: input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "username", Value: exact(email), Focus: true}}
}

func writeForgotten(w http.ResponseWriter, r *http.Request, status int, people Forgetter, page forgottenPage) error {
	var err error
	if page.Mails, err = people.Mails(r.Context()); err != nil {
		return err
	}
	return forgottenView.write(w, r, status, bareFrame(r, "Forgotten password", status), page)
}
