package ui

import (
	"context"
	"net/http"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SetupStatuses tells whether set-up is needed and possible.
type SetupStatuses interface {
	Status(ctx context.Context) (identity.SetupStatus, error)
}

// Founder makes the first administrator; see identity.SetUp.
type Founder interface {
	SetupStatuses
	Create(ctx context.Context, who access.Principal, ask identity.FirstAdministrator) (identity.User, error)
}

type setupPage struct {
	NoToken                      bool // BOOTSTRAP_TOKEN is not set: nothing can be done here
	Trouble                      string
	Token, Email, Name, Password input
}

var setupView = newView[setupPage]("setup.html")

// NewSetup shows the form that makes the first administrator, as long as there is none.
func NewSetup(setup SetupStatuses) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		status, err := setup.Status(r.Context())
		if err != nil {
			return err
		}
		if !status.Needed {
			return seeOther(w, r, "/")
		}
		page := newSetupPage("", "")
		page.NoToken = !status.TokenConfigured
		page.Token.Focus = true
		return setupView.write(w, r, http.StatusOK, newFrame(r, inNothing, "Set up Berth"), page)
	})
}

// CreateSetup makes the first administrator and signs them in.
func CreateSetup(setup Founder, sessions SessionOpener, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		password := secrets.NewValue(form.Get("password"))
		user, err := setup.Create(r.Context(), endpoint.Principal(r.Context()), identity.FirstAdministrator{
			BootstrapToken: secrets.NewValue(form.Get("bootstrap_token")), Email: form.Get("email"), Password: password, Name: form.Get("name")})
		if err != nil {
			return refuseSetup(w, r, err, newSetupPage(form.Get("email"), form.Get("name")))
		}
		session, err := sessions.Open(r.Context(), endpoint.Principal(r.Context()), user.Email, password)
		if err == nil {
			endpoint.SetSession(w, session.Cookie.Reveal(), session.ExpiresAt, secure)
		} // otherwise they sign in by hand: the account is made
		return seeOther(w, r, "/")
	})
}

func refuseSetup(w http.ResponseWriter, r *http.Request, err error, page setupPage) error {
	c, ours := complain(r, err)
	if !ours || fault.CodeOf(err) == fault.CodeOf(identity.ErrSetupClosed) {
		return err
	}
	page.Trouble = c.on(&page.Email, &page.Name, &page.Password)
	if fault.CodeOf(err) == "setup.token_wrong" {
		page.Token.Problem, page.Trouble, page.Token.Focus = page.Trouble, "", true
	}
	f := newFrame(r, inNothing, "Set up Berth")
	f.Problem = true
	return setupView.write(w, r, c.Status, f, page)
}

func newSetupPage(email, name string) setupPage {
	return setupPage{
		Token: input{Name: "bootstrap_token", Label: "Bootstrap token", Kind: "password", Complete: "off", Mono: true,
			Hint: "The value of BOOTSTRAP_TOKEN in the server's environment. Whoever has it owns the server, so it works once."},
		Name:     input{Name: "name", Label: "Your name", Kind: "text", Complete: "name", Value: exact(name)},
		Email:    input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "username", Value: exact(email), Hint: "You sign in with it."},
		Password: input{Name: "password", Label: "Password", Kind: "password", Complete: "new-password", Hint: "At least 12 characters. A few unrelated words make a good one."},
	}
}
