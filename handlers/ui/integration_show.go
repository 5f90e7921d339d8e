package ui

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/handlers/endpoint"
)

// IntegrationDesk configures integrations and tries them; see integrations.Desk.
type IntegrationDesk interface {
	IntegrationFinder
	Save(ctx context.Context, slug string, c integrations.Change, by access.Principal) (integrations.Integration, error)
	Test(ctx context.Context, slug string) error
	Delete(ctx context.Context, slug string, by access.Principal) error
}

type integrationPage struct {
	Name, Href, Summary string
	Badge               badge
	Locked              bool
	Untried             bool // something required is not set, so there is nothing to test
	Warnings            []string
	Trouble             string
	Tried               note // how a test ended; no text: there was none
	Fields              []input
	Enabled             tick
	Kind                string // of a notification target
	Another             input  // name of one more of the kind
	Deletes             bool   // it can be deleted
}

// enabledHint says what it means that an integration of a category is enabled.
var enabledHint = map[string]string{
	integrations.CategoryNotification:   "Only then is anybody told. What is wrong at that moment is told first.",
	integrations.CategorySecretBackend:  "Only then can variables take their values from it. While it is not, deployments that need it fail before anything is changed.",
	integrations.CategoryStorageBackend: "Only then are backups copied there, listed and fetched back.",
}

var integrationView = newView[integrationPage]("integration_show.html")

// Integration shows one integration to be configured.
func Integration(finder IntegrationFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		i, err := finder.Integration(r.Context(), r.PathValue("slug"))
		if err != nil {
			return err
		}
		return writeIntegration(w, r, http.StatusOK, i, newIntegrationPage(i, i.Enabled, i.Settings))
	})
}

// settingsOf reads what was typed, by name of the setting.
func settingsOf(form url.Values, i integrations.Integration) map[string]string {
	settings := map[string]string{}
	for _, f := range i.Fields {
		settings[f.Name] = strings.TrimSpace(form.Get("settings." + f.Name))
	}
	return settings
}

// SaveIntegration keeps what was typed about an integration.
func SaveIntegration(desk IntegrationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		i, err := desk.Integration(r.Context(), r.PathValue("slug"))
		if err != nil {
			return err
		}
		change := integrations.Change{Enabled: form.Has("enabled"), Settings: settingsOf(form, i)}
		if _, err = desk.Save(r.Context(), i.Slug, change, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying(integrationHref(i.Slug), "integration-saved"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		page := newIntegrationPage(i, change.Enabled, change.Settings)
		fields := make([]*input, len(page.Fields))
		for n := range page.Fields {
			fields[n] = &page.Fields[n]
		}
		page.Trouble = c.on(fields...)
		return writeIntegration(w, r, c.Status, i, page)
	})
}

// TestIntegration tries an integration as it is stored, and shows what came of it. That the service
// refuses is what was asked for, so the page is answered as any other.
func TestIntegration(desk IntegrationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		i, err := desk.Integration(r.Context(), r.PathValue("slug"))
		if err != nil {
			return err
		}
		page, status := newIntegrationPage(i, i.Enabled, i.Settings), http.StatusOK
		switch err := desk.Test(r.Context(), i.Slug); {
		case err == nil:
			page.Tried = note{"ok", "check", works(i)}
		default:
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			page.Tried = note{"bad", "cross", "The test failed: " + sentence(fault.PublicOf(err))}
			if c.Status == http.StatusServiceUnavailable && fault.CodeOf(err) == "hub.away" {
				status = c.Status
				c.when(w)
			}
		}
		return writeIntegration(w, r, status, i, page)
	})
}

// works says that a test went well.
func works(i integrations.Integration) string {
	if i.Category == integrations.CategoryNotification {
		return "The test message was taken. Look whether it has arrived."
	}
	return "It works: " + i.Name + " answers and takes the credential."
}

// NewTarget leads to the page of one more notification target of a kind.
func NewTarget(finder IntegrationFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		kind, name := r.FormValue("kind"), strings.TrimSpace(r.FormValue("name"))
		base, err := finder.Integration(r.Context(), kind)
		if err != nil {
			return err
		}
		if _, err := finder.Integration(r.Context(), kind+"-"+name); err == nil {
			return seeOther(w, r, integrationHref(kind+"-"+name))
		}
		page := newIntegrationPage(base, base.Enabled, base.Settings)
		page.Another.Value, page.Another.Problem, page.Another.Focus = exact(name), "Takes lower-case letters, digits and dashes, at most 32.", true
		return writeIntegration(w, r, http.StatusUnprocessableEntity, base, page)
	})
}

// DeleteIntegration deletes a notification target.
func DeleteIntegration(desk IntegrationDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := desk.Delete(r.Context(), r.PathValue("slug"), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return seeOther(w, r, saying("/integrations", "target-gone"))
	})
}

// newIntegrationPage makes the page with what is to stand in the fields. A secret one is always empty.
func newIntegrationPage(i integrations.Integration, enabled bool, settings map[string]string) integrationPage {
	p := integrationPage{Name: i.Name, Href: integrationHref(i.Slug), Summary: sentence(i.Summary), Badge: integrationBadge(i), Locked: i.Locked, Untried: lacksSetting(i), Warnings: i.Warnings,
		Enabled: tick{Name: "enabled", Label: "Enabled", On: enabled, Hint: enabledHint[i.Category]}}
	if i.Category == integrations.CategoryNotification {
		p.Kind, p.Deletes = i.Kind, !i.UpdatedAt.IsZero()
		p.Another = input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Sample: "ops", Hint: "Lower-case letters, digits and dashes. It makes one more target of this kind."}
	}
	for _, f := range i.Fields {
		in := input{Name: "settings." + f.Name, Label: f.Label, Kind: "text", Complete: "off", Mono: true, Hint: f.Help, Optional: !f.Required, Value: exact(settings[f.Name]), Sample: f.Default}
		if f.Secret {
			in.Kind, in.Value, in.Complete, in.Mono = "password", "", "new-password", false
			if i.Set[f.Name] {
				in.Sample = "stored; leave empty to keep"
			}
		}
		p.Fields = append(p.Fields, in)
	}
	return p
}

func writeIntegration(w http.ResponseWriter, r *http.Request, status int, i integrations.Integration, page integrationPage) error {
	f := newFrame(r, inIntegrations, i.Name, crumb{"Integrations", "/integrations"})
	f.Problem = status != http.StatusOK
	return integrationView.write(w, r, status, f, page)
}
