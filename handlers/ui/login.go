package ui

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SessionOpener opens sessions; see identity.SignIn.
type SessionOpener interface {
	Open(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, error)
}

type loginPage struct {
	Trouble         string
	Email, Password input
	Next            exact // where to go afterwards, a path of ours
}

var loginView = newView[loginPage]("login.html")

// NewLogin shows the sign-in form, or set-up while there is nobody who could sign in.
func NewLogin(setup SetupStatuses) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		status, err := setup.Status(r.Context())
		if err != nil {
			return err
		}
		next := endpoint.LocalPath(r.URL.Query().Get("next"))
		switch {
		case status.Needed:
			return seeOther(w, r, "/setup")
		case endpoint.Principal(r.Context()).Kind == access.KindUser:
			return seeOther(w, r, next)
		}
		return loginView.write(w, r, http.StatusOK, newFrame(r, inNothing, "Sign in"), newLoginPage("", next))
	})
}

// Login signs somebody in and takes them where they wanted to go.
func Login(sessions SessionOpener, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newLoginPage(form.Get("email"), endpoint.LocalPath(form.Get("next")))
		if form.Get("email") == "" || form.Get("password") == "" {
			return refuseLogin(w, r, http.StatusUnprocessableEntity, "Give your e-mail address and your password.", page)
		}
		session, err := sessions.Open(r.Context(), endpoint.Principal(r.Context()), form.Get("email"), secrets.NewValue(form.Get("password")))
		if err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			return refuseLogin(w, r, c.Status, c.general(), page)
		}
		endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		return seeOther(w, r, string(page.Next))
	})
}

func refuseLogin(w http.ResponseWriter, r *http.Request, status int, why string, page loginPage) error {
	page.Trouble = why
	page.Password.Focus, page.Email.Focus = page.Email.Value != "", page.Email.Value == ""
	f := newFrame(r, inNothing, "Sign in")
	f.Problem, f.Who = true, "" // whoever had signed in before, the page is about somebody else
	return loginView.write(w, r, status, f, page)
}

func newLoginPage(email, next string) loginPage {
	return loginPage{Next: exact(next),
		Email:    input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "username", Value: exact(email), Focus: true},
		Password: input{Name: "password", Label: "Password", Kind: "password", Complete: "current-password"}}
}
