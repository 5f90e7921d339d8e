package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// ServiceAccountLister lists service accounts with their keys, oldest first.
type ServiceAccountLister interface {
	ServiceAccounts(ctx context.Context, ask core.Page) (core.List[identity.ServiceAccount], error)
}

// ServiceAccountCreator makes service accounts; see identity.Accounts.
type ServiceAccountCreator interface {
	Create(ctx context.Context, who access.Principal, name string, role access.Role) (identity.ServiceAccount, error)
}

type accountListPage struct {
	Trouble string
	Lines   []accountLine
	More    string
	Name    input
	Role    choice
}

type accountLine struct {
	Name, Href string
	Role       string
	Disabled   bool
	Keys       int
	Added      moment
}

var accountListView = newView[accountListPage]("account_list.html")

// ServiceAccounts lists service accounts, with a form to add one.
func ServiceAccounts(lister ServiceAccountLister, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeAccounts(w, r, http.StatusOK, lister, accountListPage{Name: accountName(""), Role: roleChoice(access.RoleMonitoring)}, now())
	})
}

// CreateServiceAccount adds a service account and goes to give it a key.
func CreateServiceAccount(lister ServiceAccountLister, accounts ServiceAccountCreator, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		account, err := accounts.Create(r.Context(), endpoint.Principal(r.Context()), form.Get("name"), access.Role(form.Get("role")))
		if err == nil {
			return seeOther(w, r, saying(accountHref(account.ID), "account-added"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page := accountListPage{Name: accountName(form.Get("name")), Role: roleChoice(access.Role(form.Get("role")))}
		page.Role.Problem = c.about("role")
		page.Trouble = c.on(&page.Name)
		return writeAccounts(w, r, c.Status, lister, page, now())
	})
}

func writeAccounts(w http.ResponseWriter, r *http.Request, status int, lister ServiceAccountLister, page accountListPage, now time.Time) error {
	ask, err := partOf(r)
	if err != nil {
		return err
	}
	list, err := lister.ServiceAccounts(r.Context(), ask)
	if err != nil {
		return err
	}
	page.More = following(r.URL, list.Next)
	for _, a := range list.Items {
		page.Lines = append(page.Lines, accountLine{Name: a.Name, Href: accountHref(a.ID), Role: string(a.Role), Disabled: a.Disabled, Keys: len(a.Keys), Added: at(a.CreatedAt, now)})
	}
	f := newFrame(r, inAccounts, "Service accounts")
	f.Problem = status != http.StatusOK
	return accountListView.write(w, r, status, f, page)
}

func accountHref(id core.ServiceAccountID) string { return "/service-accounts/" + string(id) }

func accountName(name string) input {
	return input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Value: exact(name), Sample: "prometheus", Hint: "Which program uses it."}
}

// roleWords says what each role is for.
var roleWords = map[access.Role]string{
	access.RoleViewer:     "viewer: reads everything but settings",
	access.RoleMonitoring: "monitoring: reads metrics and nothing else",
	access.RoleOperator:   "operator: deploys and edits",
	access.RoleAdmin:      "admin: settings and users too",
}

func roleChoice(current access.Role) choice {
	c := choice{Name: "role", Label: "Role"}
	for _, role := range access.Roles {
		c.Options = append(c.Options, option{exact(role), roleWords[role], role == current})
	}
	return c
}
