package ui

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

type userPage struct {
	Line     userLine
	Trouble  string
	Role     choice
	Disabled tick
	Issued   bool // a link for a new password was just made; this is the only page that shows it
	Sent     bool // an e-mail with the link is on its way
	Link     copyable
	Until    moment
}

// ResetMaker makes links for a new password; see identity.People.
type ResetMaker interface {
	MakeReset(ctx context.Context, who access.Principal, user core.UserID) (identity.Reset, seal.Token, error)
}

var userView = newView[userPage]("user_show.html")

// User shows one user to be changed or removed.
func User(keeper UserKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		u, err := userIn(r, keeper)
		if err != nil {
			return err
		}
		return writeUser(w, r, http.StatusOK, u, userPage{}, now())
	})
}

// ChangeUser saves a user's role and whether they may sign in.
func ChangeUser(keeper UserKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		role, disabled := access.Role(form.Get("role")), form.Has("disabled")
		change := identity.UserChange{Role: &role, Disabled: &disabled}
		err = change.Check()
		if err == nil {
			_, err = keeper.ChangeUser(r.Context(), endpoint.Principal(r.Context()), core.UserID(r.PathValue("id")), change)
		}
		if err == nil {
			return seeOther(w, r, saying("/users", "user-saved"))
		}
		return refuseUser(w, r, keeper, err, now(), func(p *userPage) { p.Role, p.Disabled.On = roleChoice(role), disabled })
	})
}

// FactorResetter removes second factors of others; see identity.People.
type FactorResetter interface {
	ResetFactor(ctx context.Context, who access.Principal, user core.UserID) error
}

// ResetFactor removes the second factor of somebody else.
func ResetFactor(keeper UserKeeper, people FactorResetter, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.UserID(r.PathValue("id"))
		if err := people.ResetFactor(r.Context(), endpoint.Principal(r.Context()), id); err != nil {
			return refuseUser(w, r, keeper, err, now())
		}
		return seeOther(w, r, saying("/users/"+string(id), "factor-reset"))
	})
}

// DeleteUser removes a user.
func DeleteUser(keeper UserKeeper, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := keeper.DeleteUser(r.Context(), endpoint.Principal(r.Context()), core.UserID(r.PathValue("id"))); err != nil {
			return refuseUser(w, r, keeper, err, now())
		}
		return seeOther(w, r, saying("/users", "user-gone"))
	})
}

// MakeReset makes a link with which a user sets a new password. The answer is the only page that ever shows it, so it
// is no redirect.
func MakeReset(keeper UserKeeper, people ResetMaker, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		u, err := userIn(r, keeper)
		if err != nil {
			return err
		}
		made, token, err := people.MakeReset(r.Context(), endpoint.Principal(r.Context()), u.ID)
		if err != nil {
			return refuseUser(w, r, keeper, err, now())
		}
		return writeUser(w, r, http.StatusCreated, u, userPage{Issued: true, Sent: made.Sent, Until: at(made.ExpiresAt, now()),
			Link: copyable{"made-link", "Link for a new password", app + "/resets/" + token.Reveal()}}, now())
	})
}

// refuseUser shows the user again; kept puts back what was typed.
func refuseUser(w http.ResponseWriter, r *http.Request, keeper UserKeeper, why error, now time.Time, kept ...func(*userPage)) error {
	c, ours := complain(r, why)
	if !ours || fault.Is(why, fault.NotFound) {
		return why
	}
	u, err := userIn(r, keeper)
	if err != nil {
		return err
	}
	return writeUser(w, r, c.Status, u, userPage{Trouble: c.general()}, now, kept...)
}

var errNoUser = fault.New(fault.NotFound, "user.not_found", "There is no such user. They may have been removed meanwhile.")

// userIn finds the user that the path names in the list, which is short: there is one per person.
func userIn(r *http.Request, keeper UserKeeper) (identity.User, error) {
	list := func(p core.Page) (core.List[identity.User], error) { return keeper.Users(r.Context(), p) }
	u, found, err := find(list, func(u identity.User) bool { return string(u.ID) == r.PathValue("id") })
	if err == nil && !found {
		err = errNoUser
	}
	return u, err
}

func writeUser(w http.ResponseWriter, r *http.Request, status int, u identity.User, page userPage, now time.Time, kept ...func(*userPage)) error {
	f := newFrame(r, inUsers, u.Name, crumb{"Users", "/users"})
	f.Problem = status >= http.StatusBadRequest
	page.Line, page.Role = userOf(r, u, now), roleChoice(u.Role)
	page.Disabled = tick{Name: "disabled", Label: "May not sign in", On: u.Disabled, Hint: "Ends their sessions at once, and revokes the invitations that they made."}
	for _, put := range kept {
		put(&page)
	}
	return userView.write(w, r, status, f, page)
}
