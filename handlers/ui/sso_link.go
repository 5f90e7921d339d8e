package ui

import (
	"net/http"

	"berth/core/secrets"
	"berth/handlers/endpoint"
)

type linkPage struct {
	Provider string
	Href     string // of the provider, with what is good once
}

var linkView = newView[linkPage]("profile_link.html")

// LinkSignOn begins to link somebody's own account. The answer is a page with the way to the provider rather than that way itself:
// browsers let no form lead to another site, which is what the content policy says.
func LinkSignOn(d ProfileDeps, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		away, err := d.SignOn.BeginLink(r.Context(), endpoint.Principal(r.Context()), secrets.NewValue(form.Get("password")))
		if err != nil {
			return refuseLink(w, r, err, d)
		}
		endpoint.SetTrip(w, SignOnPath, away.Cookie, away.Life, secure)
		name, _ := d.SignOn.On()
		return linkView.write(w, r, http.StatusOK, newFrame(r, inProfile, "Link "+name, crumb{"Your profile", "/profile"}), linkPage{Provider: name, Href: away.Address})
	})
}

// UnlinkSignOn has somebody sign in with their password alone.
func UnlinkSignOn(d ProfileDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := d.SignOn.Unlink(r.Context(), endpoint.Principal(r.Context())); err != nil {
			return refuseLink(w, r, err, d)
		}
		return seeOther(w, r, saying("/profile", "oidc-unlinked"))
	})
}

func refuseLink(w http.ResponseWriter, r *http.Request, why error, d ProfileDeps) error {
	if _, on := d.SignOn.On(); !on {
		return why
	}
	c, ours := complain(r, why)
	if !ours {
		return why
	}
	page := newProfilePage()
	proof := input{Name: "password"}
	page.SignOn.Trouble = c.on(&proof)
	page.SignOn.Proof.Problem = proof.Problem
	return writeProfile(w, r, c.Status, d, page)
}
