package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// FactorDesk sets up and removes the second factor of whoever asks; see identity.People.
type FactorDesk interface {
	Self(ctx context.Context, who access.Principal) (identity.User, error)
	OfferFactor(ctx context.Context, who access.Principal) (identity.Offer, error)
	OfferAgain(who access.Principal, secret string) identity.Offer
	ConfirmFactor(ctx context.Context, who access.Principal, secret, code string, password secrets.Value) ([]string, error)
	RemoveFactor(ctx context.Context, who access.Principal, code string, password secrets.Value) error
	HasPassword(ctx context.Context, who access.Principal) (bool, error)
}

type factorPage struct {
	Demanded bool // they can do nothing else until it is done
	There    bool // they have one, which can be removed
	Issued   bool // recovery codes were just made; this is the only page that shows them
	Codes    copyable
	Secret   copyable
	Address  copyable
	Picture  codePicture // of the address
	Hidden   exact       // the secret again, to come back with the code
	Trouble  string
	Code     input
	Proof    input

	Passwordless bool // they sign in at the provider, and are asked for no password
}

var factorView = newView[factorPage]("second_factor.html")

// SecondFactor offers somebody a second factor, or to remove the one they have.
func SecondFactor(people FactorDesk, maker CodeMaker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		who := endpoint.Principal(r.Context())
		self, err := people.Self(r.Context(), who)
		if err != nil {
			return err
		}
		if self.SecondFactor {
			return writeFactor(w, r, people, http.StatusOK, factorPage{There: true})
		}
		offer, err := people.OfferFactor(r.Context(), who)
		if err != nil {
			return err
		}
		return writeFactor(w, r, people, http.StatusOK, offered(offer, maker))
	})
}

func offered(offer identity.Offer, maker CodeMaker) factorPage {
	return factorPage{Hidden: exact(offer.Secret), Secret: copyable{"secret", "Secret", offer.Secret},
		Address: copyable{"address", "Address", offer.Address}, Picture: codeOf(maker, offer.Address)}
}

// ConfirmFactor gives somebody the second factor that was offered. The answer is the only page that ever shows the
// recovery codes, so it is no redirect.
func ConfirmFactor(people FactorDesk, maker CodeMaker) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		who, secret := endpoint.Principal(r.Context()), form.Get("secret")
		codes, err := people.ConfirmFactor(r.Context(), who, secret, form.Get("code"), secrets.NewValue(form.Get("password")))
		if err == nil {
			return writeFactor(w, r, people, http.StatusCreated, factorPage{Issued: true, Codes: copyable{"codes", "Recovery codes", strings.Join(codes, "\n")}})
		}
		return refuseFactor(w, r, people, err, offered(people.OfferAgain(who, secret), maker))
	})
}

// RemoveFactor takes somebody's own second factor.
func RemoveFactor(people FactorDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		err = people.RemoveFactor(r.Context(), endpoint.Principal(r.Context()), form.Get("code"), secrets.NewValue(form.Get("password")))
		if err == nil {
			return seeOther(w, r, saying("/profile", "factor-gone"))
		}
		return refuseFactor(w, r, people, err, factorPage{There: true})
	})
}

func refuseFactor(w http.ResponseWriter, r *http.Request, people FactorDesk, why error, page factorPage) error {
	c, ours := complain(r, why)
	if !ours {
		return why
	}
	page.fields()
	page.Trouble = c.on(&page.Code, &page.Proof)
	return writeFactor(w, r, people, c.Status, page)
}

// fields fills the form, unless that was done.
func (p *factorPage) fields() {
	if p.Code.Name != "" {
		return
	}
	p.Code = codeInput("Code")
	if !p.There {
		p.Code.Hint = "The six digits that the app shows now."
	}
	p.Proof = input{Name: "password", Label: "Present password", Kind: "password", Complete: "current-password"}
}

func writeFactor(w http.ResponseWriter, r *http.Request, people FactorDesk, status int, page factorPage) error {
	has, err := people.HasPassword(r.Context(), endpoint.Principal(r.Context()))
	if err != nil {
		return err
	}
	page.Passwordless = !has
	page.fields()
	page.Demanded = endpoint.Principal(r.Context()).MustEnrol && !page.Issued
	f := newFrame(r, inProfile, "Second factor", crumb{"Your profile", "/profile"})
	f.Problem = status >= http.StatusBadRequest
	return factorView.write(w, r, status, f, page)
}
