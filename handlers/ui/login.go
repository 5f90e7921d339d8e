package ui

import (
	"context"
	"net/http"
	"net/url"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SessionOpener opens sessions; see identity.SignIn.
type SessionOpener interface {
	Open(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, error)
	Begin(ctx context.Context, who access.Principal, email string, password secrets.Value) (identity.Session, secrets.Value, error)
	Continue(ctx context.Context, who access.Principal, ticket, code string) (identity.Session, error)
}

type loginPage struct {
	Trouble         string
	Email, Password input
	Next            exact  // where to go afterwards, a path of ours
	Provider        string // beside this server, where people sign in; empty: nowhere
	ProviderHref    string
	Ticket          exact // the password was right and a code is to follow; empty: it is the first step
	Code            input
}

var loginView = newView[loginPage]("login.html")

// NewLogin shows the sign-in form, or set-up while there is nobody who could sign in.
func NewLogin(setup SetupStatuses, provider ProviderNamer) http.Handler {
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
		return loginView.write(w, r, http.StatusOK, newFrame(r, inNothing, "Sign in"), newLoginPage("", next, provider))
	})
}

// Login signs somebody in and takes them where they wanted to go.
func Login(sessions SessionOpener, provider ProviderNamer, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newLoginPage(form.Get("email"), endpoint.LocalPath(form.Get("next")), provider)
		if form.Get("email") == "" || form.Get("password") == "" {
			return refuseLogin(w, r, http.StatusUnprocessableEntity, "Give your e-mail address and your password.", page)
		}
		session, ticket, err := sessions.Begin(r.Context(), endpoint.Principal(r.Context()), form.Get("email"), secrets.NewValue(form.Get("password")))
		if err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			return refuseLogin(w, r, c.Status, c.general(), page)
		}
		if !ticket.Empty() {
			return writeCode(w, r, http.StatusOK, "", ticket.Reveal(), page)
		}
		endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		return seeOther(w, r, string(page.Next))
	})
}

// LoginCode is the second step of signing in, for who has a second factor.
func LoginCode(sessions SessionOpener, provider ProviderNamer, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		page := newLoginPage("", endpoint.LocalPath(form.Get("next")), provider)
		if form.Get("ticket") == "" || form.Get("code") == "" {
			return writeCode(w, r, http.StatusUnprocessableEntity, "Give the code that the authenticator app shows, or a recovery code.", form.Get("ticket"), page)
		}
		session, err := sessions.Continue(r.Context(), endpoint.Principal(r.Context()), form.Get("ticket"), form.Get("code"))
		if err == nil {
			endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
			return seeOther(w, r, string(page.Next))
		}
		c, ours := complain(r, err)
		switch {
		case !ours:
			return err
		case fault.CodeOf(err) == "auth.failed": // the ticket is good no more
			return refuseLogin(w, r, c.Status, c.general(), page)
		}
		return writeCode(w, r, c.Status, c.general(), form.Get("ticket"), page)
	})
}

func writeCode(w http.ResponseWriter, r *http.Request, status int, why, ticket string, page loginPage) error {
	if ticket == "" { // there is nothing to go on from
		return refuseLogin(w, r, status, why, page)
	}
	page.Trouble, page.Ticket, page.Code = why, exact(ticket), codeInput("Code")
	page.Code.Focus = true
	return loginView.write(w, r, status, bareFrame(r, "Sign in", status), page)
}

func codeInput(label string) input {
	return input{Name: "code", Label: label, Kind: "text", Complete: "one-time-code", Mono: true, Hint: "The six digits that your authenticator app shows, or a recovery code."}
}

func refuseLogin(w http.ResponseWriter, r *http.Request, status int, why string, page loginPage) error {
	page.Trouble = why
	page.Password.Focus, page.Email.Focus = page.Email.Value != "", page.Email.Value == ""
	f := newFrame(r, inNothing, "Sign in")
	f.Problem, f.Who = true, "" // whoever had signed in before, the page is about somebody else
	return loginView.write(w, r, status, f, page)
}

func newLoginPage(email, next string, provider ProviderNamer) loginPage {
	page := loginPage{Next: exact(next),
		Email:    input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "username", Value: exact(email), Focus: true},
		Password: input{Name: "password", Label: "Password", Kind: "password", Complete: "current-password"}}
	if name, on := provider.On(); on {
		page.Provider, page.ProviderHref = name, "/login/oidc?"+url.Values{"next": {next}}.Encode()
	}
	return page
}
