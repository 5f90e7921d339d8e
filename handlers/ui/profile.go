package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/secrets"
	"berth/handlers/endpoint"
)

// SelfReader is what people see and change of their own account; see identity.People.
type SelfReader interface {
	Self(ctx context.Context, who access.Principal) (identity.User, error)
	ChangeProfile(ctx context.Context, who access.Principal, change identity.ProfileChange) (identity.User, error)
	ChangePassword(ctx context.Context, who access.Principal, old, fresh secrets.Value) error
	Sessions(ctx context.Context, who access.Principal) ([]identity.OpenSession, error)
	EndSession(ctx context.Context, who access.Principal, id core.SessionID) error
	HasPassword(ctx context.Context, who access.Principal) (bool, error)
}

// ProfileDeps is what the page of somebody's own account is made of.
type ProfileDeps struct {
	People SelfReader
	SignOn SignOnDesk
	Now    core.Clock
}

type profilePage struct {
	Passwordless       bool // they sign in at the provider
	Role               string
	SecondFactor       bool
	Trouble            string
	Name, Email, Proof input
	PasswordTrouble    string
	Old, Fresh         input
	SignOn             signOnPart
	Sessions           []sessionLine
}

type sessionLine struct {
	Browser, Address string
	Current          bool
	Opened           moment
	EndHref          string
}

var profileView = newView[profilePage]("profile.html")

// Profile shows somebody their own account.
func Profile(d ProfileDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeProfile(w, r, http.StatusOK, d, newProfilePage())
	})
}

// ChangeProfile changes somebody's own name or e-mail address.
func ChangeProfile(d ProfileDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		name, email := form.Get("name"), form.Get("email")
		_, err = d.People.ChangeProfile(r.Context(), endpoint.Principal(r.Context()), identity.ProfileChange{Name: &name, Email: &email, Password: secrets.NewValue(form.Get("password"))})
		if err == nil {
			return seeOther(w, r, saying("/profile", "profile-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page := newProfilePage()
		page.Name.Value, page.Email.Value = exact(name), exact(email)
		page.Trouble = c.on(&page.Name, &page.Email, &page.Proof)
		return writeProfile(w, r, c.Status, d, page)
	})
}

// ChangePassword changes somebody's own password and ends their other sessions.
func ChangePassword(d ProfileDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		err = d.People.ChangePassword(r.Context(), endpoint.Principal(r.Context()), secrets.NewValue(form.Get("password")), secrets.NewValue(form.Get("new_password")))
		if err == nil {
			return seeOther(w, r, saying("/profile", "profile-password"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page := newProfilePage()
		page.PasswordTrouble = c.on(&page.Old, &page.Fresh)
		return writeProfile(w, r, c.Status, d, page)
	})
}

// EndSession ends one of somebody's own sessions.
func EndSession(people SelfReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		err := people.EndSession(r.Context(), endpoint.Principal(r.Context()), core.SessionID(r.PathValue("id")))
		if err != nil && !fault.Is(err, fault.NotFound) { // it has ended meanwhile, which was asked for
			return err
		}
		return seeOther(w, r, saying("/profile", "session-ended"))
	})
}

func newProfilePage() profilePage {
	old := input{Name: "password", ID: "f-old", Label: "Present password", Kind: "password", Complete: "current-password"}
	proof := old
	proof.ID, proof.Hint, proof.Optional = "f-proof", "Another e-mail address demands it.", true
	return profilePage{
		Name:  input{Name: "name", Label: "Name", Kind: "text", Complete: "name"},
		Email: input{Name: "email", Label: "E-mail address", Kind: "email", Complete: "username", Hint: "You sign in with it."},
		Proof: proof, Old: old, Fresh: freshPassword("new_password", "New password"),
	}
}

func writeProfile(w http.ResponseWriter, r *http.Request, status int, d ProfileDeps, page profilePage) error {
	who, now := endpoint.Principal(r.Context()), d.Now()
	user, err := d.People.Self(r.Context(), who)
	if err != nil {
		return err
	}
	open, err := d.People.Sessions(r.Context(), who)
	if err != nil {
		return err
	}
	has, err := d.People.HasPassword(r.Context(), who)
	if err != nil {
		return err
	}
	if err := page.SignOn.fill(r, d.SignOn, now); err != nil {
		return err
	}
	if page.Passwordless = !has; page.Passwordless {
		page.Email.Hint = "Changing it takes a password, which this account has not."
	}
	page.Role, page.SecondFactor = roleWords[user.Role], user.SecondFactor
	if page.Trouble == "" && page.Name.Problem+page.Email.Problem+page.Proof.Problem == "" {
		page.Name.Value, page.Email.Value = exact(user.Name), exact(user.Email)
	}
	for _, s := range open {
		page.Sessions = append(page.Sessions, sessionLine{Browser: browserOf(s.Agent), Address: s.Address, Current: string(s.ID) == who.Session,
			Opened: at(s.CreatedAt, now), EndHref: "/profile/sessions/" + string(s.ID) + "/end"})
	}
	f := newFrame(r, inProfile, "Your profile")
	f.Problem = status >= http.StatusBadRequest
	return profileView.write(w, r, status, f, page)
}

// browserOf is what people call a browser and its machine. What a program says of itself is no proof, and its form is
// nobody's standard: what is not known is shown as it is.
func browserOf(agent string) string {
	first := func(words []string) string {
		for _, word := range words {
			mark, name, _ := strings.Cut(word, "=")
			if strings.Contains(agent, mark) {
				return name
			}
		}
		return ""
	}
	browser := first([]string{"Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome", "Safari/=Safari", "curl/=curl"})
	system := first([]string{"Android=Android", "iPhone=iPhone", "iPad=iPad", "Windows=Windows", "Mac OS X=macOS", "CrOS=ChromeOS", "Linux=Linux"})
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	case agent == "":
		return "a browser that did not say"
	}
	return agent
}
