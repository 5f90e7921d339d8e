package ui

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// KeyIssuer makes API keys; see identity.Accounts.
type KeyIssuer interface {
	IssueKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, name string, expires time.Time) (identity.APIKey, seal.Token, error)
	RotateKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, old core.APIKeyID, overlap time.Duration) (identity.APIKey, seal.Token, error)
}

// ServiceAccountKeeper changes and removes service accounts and revokes their keys.
type ServiceAccountKeeper interface {
	ServiceAccountLister
	ChangeServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID, change identity.AccountChange) (identity.ServiceAccount, error)
	DeleteServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID) error
	DeleteAPIKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, id core.APIKeyID) error
}

type accountPage struct {
	Name, Href string
	Role       string
	Disabled   bool
	Trouble    string
	Rename     input
	NewRole    choice
	Off        tick
	Amiss      string // what was wrong with a change of the account, that no field took
	Keys       []apiKeyLine
	KeyName    input
	Expiry     choice
	Issued     bool // a key was just made; this is the only page that shows it
	Key        copyable
	Scrape     copyable // how Prometheus uses it, with a word in the key's place when it is not known
	Alloy      copyable // how Grafana Alloy does
	Metrics    bool     // it may read metrics
	Request    copyable // how a script uses it
}

type apiKeyLine struct {
	ID, Name   string
	Made       moment
	Expires    moment
	Expired    bool
	FollowedBy string // the key that replaces it; empty: none
	Used       moment
	From       string // address of the last use
	RevokeHref string
	RotateHref string // empty: it has expired, or was rotated before
}

var accountView = newView[accountPage]("account_show.html")

var errNoAccount = fault.New(fault.NotFound, "service_account.not_found", "There is no such service account. It may have been deleted meanwhile.")

// ServiceAccount shows one service account with its keys, and a form to make one.
func ServiceAccount(keeper ServiceAccountKeeper, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeAccount(w, r, http.StatusOK, keeper, newAccountPage("", 0), app, now())
	})
}

// CreateAPIKey makes a key. The answer is the only page that ever shows it, so it is no redirect.
func CreateAPIKey(keeper ServiceAccountKeeper, issuer KeyIssuer, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		days, err := strconv.Atoi(cmp.Or(form.Get("expires_in"), "0"))
		if err != nil || days < 0 || days > 3650 {
			return fault.BadFields("api_key.invalid", []fault.Field{{Path: "expires_at", Problem: "must be 0 to 3650 days; 0 never expires"}})
		}
		var expires time.Time
		if days > 0 {
			expires = now().Add(time.Duration(days) * 24 * time.Hour)
		}
		page := newAccountPage(form.Get("name"), days)
		_, token, err := issuer.IssueKey(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")), form.Get("name"), expires)
		if err != nil {
			c, ours := complain(r, err)
			if !ours || fault.Is(err, fault.NotFound) {
				return err
			}
			page.Trouble = c.on(&page.KeyName)
			return writeAccount(w, r, c.Status, keeper, page, app, now())
		}
		page.show(token.Reveal(), app)
		return writeAccount(w, r, http.StatusCreated, keeper, page, app, now())
	})
}

// RotateAPIKey makes the key that follows another. Its answer is the only page that shows it, as CreateAPIKey's is.
func RotateAPIKey(keeper ServiceAccountKeeper, issuer KeyIssuer, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		overlap, err := time.ParseDuration(cmp.Or(form.Get("overlap"), "24h"))
		if err != nil {
			return fault.BadFields("api_key.invalid", []fault.Field{{Path: "overlap", Problem: "must be a duration from 0s to 720h, such as 24h"}})
		}
		_, token, err := issuer.RotateKey(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id")), core.APIKeyID(r.PathValue("key")), overlap)
		if err != nil {
			return err
		}
		page := newAccountPage("", 0)
		page.show(token.Reveal(), app)
		return writeAccount(w, r, http.StatusCreated, keeper, page, app, now())
	})
}

// show puts a key that was just made into the page, with what it is for.
func (p *accountPage) show(key, app string) {
	p.Issued, p.KeyName.Value = true, ""
	p.Key = copyable{"key", "API key", key}
	p.explain(key, app)
	p.Request = copyable{"request", "Command for a shell", "curl -H '" + guard.KeyHeader + ": " + key + "' " + app + "/api/custom/me"}
}

// explain shows how scrapers use a key.
func (p *accountPage) explain(key, app string) {
	scheme, host, _ := strings.Cut(app, "://")
	// The authorization block is the one way to send a header that every version has.
	p.Scrape = copyable{"scrape", "Prometheus configuration", "scrape_configs:\n  - job_name: berth\n    scheme: " + scheme +
		"\n    authorization:\n      credentials: \"" + guard.KeyHeader + ": " + key + "\"\n    static_configs:\n      - targets: [\"" + host + "\"]"}
	p.Alloy = copyable{"alloy", "Alloy configuration", "prometheus.scrape \"berth\" {\n  targets         = [{\"__address__\" = \"" + host + "\"}]\n  scheme          = \"" + scheme +
		"\"\n  scrape_interval = \"30s\"\n  forward_to      = [prometheus.remote_write.default.receiver]\n\n  authorization {\n    type        = \"Bearer\"\n    credentials = \"" +
		guard.KeyHeader + ": " + key + "\"\n  }\n}"}
}

// ChangeServiceAccount saves name and role of a service account, and whether its keys are refused.
func ChangeServiceAccount(keeper ServiceAccountKeeper, app string, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		id := core.ServiceAccountID(r.PathValue("id"))
		name, role, off := form.Get("account_name"), access.Role(form.Get("role")), form.Has("disabled")
		change := identity.AccountChange{Name: &name, Role: &role, Disabled: &off}
		if err = change.Check(); err == nil {
			_, err = keeper.ChangeServiceAccount(r.Context(), endpoint.Principal(r.Context()), id, change)
		}
		if err == nil {
			return seeOther(w, r, saying(accountHref(id), "account-saved"))
		}
		c, ours := complain(r, err)
		if !ours || fault.Is(err, fault.NotFound) {
			return err
		}
		page := newAccountPage("", 0)
		page.change(identity.ServiceAccount{Name: name, Role: role, Disabled: off})
		page.Rename.Problem, page.NewRole.Problem = c.about("name"), c.about("role")
		page.Amiss = c.general()
		return writeAccount(w, r, c.Status, keeper, page, app, now())
	})
}

// change fills the form that changes the account.
func (p *accountPage) change(a identity.ServiceAccount) {
	p.Rename = accountName(a.Name)
	p.Rename.Name, p.Rename.ID = "account_name", "f-account"
	p.NewRole = roleChoice(a.Role)
	p.Off = tick{Name: "disabled", Label: "Disabled", On: a.Disabled, Hint: "Refuses all its keys at once, until it is enabled again."}
}

// DeleteAPIKey revokes a key for good.
func DeleteAPIKey(keeper ServiceAccountKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := core.ServiceAccountID(r.PathValue("id"))
		if err := keeper.DeleteAPIKey(r.Context(), endpoint.Principal(r.Context()), id, core.APIKeyID(r.PathValue("key"))); err != nil {
			return err
		}
		return seeOther(w, r, saying(accountHref(id), "key-revoked"))
	})
}

// DeleteServiceAccount removes a service account and revokes its keys.
func DeleteServiceAccount(keeper ServiceAccountKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := keeper.DeleteServiceAccount(r.Context(), endpoint.Principal(r.Context()), core.ServiceAccountID(r.PathValue("id"))); err != nil {
			return err
		}
		return seeOther(w, r, saying("/service-accounts", "account-deleted"))
	})
}

func newAccountPage(keyName string, days int) accountPage {
	page := accountPage{KeyName: input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: exact(keyName), Sample: "scraper of the staging cluster", Hint: "To tell keys apart."},
		Expiry: choice{Name: "expires_in", Label: "Expires"}}
	for _, o := range []struct {
		days int
		word string
	}{{0, "never"}, {30, "in 30 days"}, {90, "in 90 days"}, {365, "in a year"}} {
		page.Expiry.Options = append(page.Expiry.Options, option{exact(strconv.Itoa(o.days)), o.word, o.days == days})
	}
	return page
}

func writeAccount(w http.ResponseWriter, r *http.Request, status int, keeper ServiceAccountKeeper, page accountPage, app string, now time.Time) error {
	account, err := findAccount(r.Context(), keeper, core.ServiceAccountID(r.PathValue("id")))
	if err != nil {
		return err
	}
	page.Name, page.Href, page.Role, page.Disabled = account.Name, accountHref(account.ID), roleWords[account.Role], account.Disabled
	if page.Rename.Name == "" { // else the form holds what was typed
		page.change(account)
	}
	for _, key := range account.Keys {
		page.Keys = append(page.Keys, apiKeyLine{ID: string(key.ID), Name: key.Name, Made: at(key.CreatedAt, now), Expires: at(key.ExpiresAt, now),
			Expired: key.Expired(now), FollowedBy: string(key.FollowedBy), Used: at(key.LastUsedAt, now), From: key.LastUsedFrom, RevokeHref: page.Href + "/keys/" + string(key.ID) + "/delete"})
		if !key.Expired(now) && key.FollowedBy == "" {
			page.Keys[len(page.Keys)-1].RotateHref = page.Href + "/keys/" + string(key.ID) + "/rotate"
		}
	}
	if page.Metrics = account.Role.Can(access.Metrics); page.Metrics && !page.Issued {
		page.explain("<API_KEY>", app)
	}
	f := newFrame(r, inAccounts, account.Name, crumb{"Service accounts", "/service-accounts"})
	f.Problem = status >= http.StatusBadRequest
	return accountView.write(w, r, status, f, page)
}

// findAccount looks an account up in the list, which is short: there is one per program.
func findAccount(ctx context.Context, lister ServiceAccountLister, id core.ServiceAccountID) (identity.ServiceAccount, error) {
	list := func(p core.Page) (core.List[identity.ServiceAccount], error) { return lister.ServiceAccounts(ctx, p) }
	account, found, err := find(list, func(a identity.ServiceAccount) bool { return a.ID == id })
	if err == nil && !found {
		err = errNoAccount
	}
	return account, err
}
