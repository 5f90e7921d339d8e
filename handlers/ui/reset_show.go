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

// ResetReader reads and spends links for a new password; see identity.People.
type ResetReader interface {
	Resetting(ctx context.Context, who access.Principal, link string) (identity.User, error)
	SpendReset(ctx context.Context, who access.Principal, link string, password secrets.Value) (identity.User, error)
}

type resetPage struct {
	Email    string
	Action   string
	Trouble  string
	Password input
}

var resetView = newView[resetPage]("reset_show.html")

// Reset shows the form with which somebody who followed a link chooses a new password.
func Reset(people ResetReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeReset(w, r, http.StatusOK, people, resetPage{Password: freshPassword("password", "New password")})
	})
}

// SpendReset sets the password and asks its person to sign in with it.
func SpendReset(people ResetReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		_, err = people.SpendReset(r.Context(), endpoint.Principal(r.Context()), r.PathValue("token"), secrets.NewValue(form.Get("password")))
		if err == nil {
			return seeOther(w, r, saying("/login", "password-set"))
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		page := resetPage{Password: freshPassword("password", "New password")}
		page.Trouble = c.on(&page.Password)
		return writeReset(w, r, c.Status, people, page)
	})
}

func writeReset(w http.ResponseWriter, r *http.Request, status int, people ResetReader, page resetPage) error {
	token := r.PathValue("token")
	user, err := people.Resetting(r.Context(), endpoint.Principal(r.Context()), token)
	if err != nil {
		return err
	}
	page.Email, page.Action = user.Email, "/resets/"+token
	return resetView.write(w, r, status, bareFrame(r, "Choose a new password", status), page)
}
