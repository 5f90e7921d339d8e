package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// ProviderNamer tells where people sign in beside here; see identity.SSO.
type ProviderNamer interface {
	On() (name string, on bool)
}

// SignOnDesk is single sign-on; see identity.SSO.
type SignOnDesk interface {
	ProviderNamer
	Begin(ctx context.Context, who access.Principal, next string) (identity.Departure, error)
	Finish(ctx context.Context, who access.Principal, back identity.Return) (identity.Arrival, error)
	Own(ctx context.Context, who access.Principal) (identity.OwnLink, error)
	BeginLink(ctx context.Context, who access.Principal, password secrets.Value) (identity.Departure, error)
	Links(who access.Principal, back identity.Return) bool
	FinishLink(ctx context.Context, who access.Principal, back identity.Return) error
	Unlink(ctx context.Context, who access.Principal) error
}

// SignOnPath is where people begin to sign in at the provider. The cookie of a trip goes to it and below.
const SignOnPath = "/login/oidc"

// signOnPart is what the page of an account tells of single sign-on.
type signOnPart struct {
	Provider     string // empty: single sign-on is off
	Linked, Made bool
	Since        moment
	Trouble      string
	Proof        input
}

func (p *signOnPart) fill(r *http.Request, desk SignOnDesk, now time.Time) error {
	if _, on := desk.On(); !on {
		return nil
	}
	own, err := desk.Own(r.Context(), endpoint.Principal(r.Context()))
	if err != nil {
		return err
	}
	p.Provider, p.Linked, p.Made = own.Provider, own.Linked, own.Made
	if own.Linked {
		p.Since = at(own.At, now)
	}
	problem := p.Proof.Problem
	p.Proof = input{Name: "password", ID: "f-sso", Label: "Present password", Kind: "password", Complete: "current-password", Problem: problem, Focus: problem != ""}
	return nil
}

// SignOn sends a browser to the provider. It writes nothing, and whoever comes back is who the provider says, so that a page of
// another site gains nothing by beginning it.
func SignOn(setup SetupStatuses, desk SignOnDesk, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		status, err := setup.Status(r.Context())
		if err != nil {
			return err
		}
		if status.Needed {
			return seeOther(w, r, "/setup")
		}
		next := endpoint.LocalPath(r.URL.Query().Get("next"))
		away, err := desk.Begin(r.Context(), endpoint.Principal(r.Context()), next)
		if err != nil {
			return refuseSignOn(w, r, err, newLoginPage("", next, desk))
		}
		endpoint.SetTrip(w, SignOnPath, away.Cookie, away.Life, secure)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Location", away.Address)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	})
}

func refuseSignOn(w http.ResponseWriter, r *http.Request, why error, page loginPage) error {
	c, ours := complain(r, why)
	if !ours {
		return why
	}
	if c.when != nil {
		c.when(w)
	}
	endpoint.Note(r, why)
	return refuseLogin(w, r, c.Status, c.general(), page)
}

// SignedOn is where the provider sends browsers back to: to sign in, or to have an account linked.
func SignedOn(d ProfileDeps, secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		query, who := r.URL.Query(), endpoint.Principal(r.Context())
		back := identity.Return{State: query.Get("state"), Code: query.Get("code"), Issuer: query.Get("iss"), Problem: query.Get("error"), Cookie: endpoint.TripOf(r)}
		endpoint.ClearTrip(w, SignOnPath, secure)
		if d.SignOn.Links(who, back) {
			if err := d.SignOn.FinishLink(r.Context(), who, back); err != nil {
				return refuseLink(w, r, err, d)
			}
			return seeOther(w, r, saying("/profile", "oidc-linked"))
		}
		arrival, err := d.SignOn.Finish(r.Context(), who, back)
		page := newLoginPage("", endpoint.LocalPath(back.Next()), d.SignOn)
		if err == nil && arrival.Kept { // also behind a second factor
			page.Next = exact(saying(string(page.Next), "oidc-kept"))
		}
		switch {
		case err != nil:
			return refuseSignOn(w, r, err, page)
		case !arrival.Ticket.Empty():
			return writeCode(w, r, http.StatusOK, "", arrival.Ticket.Reveal(), page)
		}
		endpoint.SetSession(w, arrival.Session.Cookie.Reveal(), arrival.Session.ExpiresAt, secure)
		return seeOther(w, r, string(page.Next))
	})
}
