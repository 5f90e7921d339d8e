package ui

import (
	"context"
	"net/http"
	"strings"

	"berth/core"
	"berth/core/integrations"
	"berth/handlers/endpoint"
)

// IntegrationFinder reads integrations; see integrations.Desk.
type IntegrationFinder interface {
	Integrations(ctx context.Context) ([]integrations.Integration, error)
	Integration(ctx context.Context, slug string) (integrations.Integration, error)
}

type integrationListPage struct{ Groups []integrationGroup }

// integrationGroup is the integrations of a category.
type integrationGroup struct {
	ID, Name, Why string
	Lines         []integrationLine
}

type integrationLine struct {
	Name, Href, Summary string
	Badge               badge
	Warnings            []string
	Changed             moment
}

// categories are the words for the kinds of integrations: what each is called, and what it is for.
var categories = map[string]struct{ name, why string }{
	integrations.CategorySecretBackend:  {"Secret Backend", "where the values of secret variables are kept"},
	integrations.CategoryStorageBackend: {"Storage Backend", "where copies of backups are kept, away from this machine"},
	integrations.CategoryNotification:   {"Notification", "who is told when something is wrong, and when it is over"},
}

var integrationListView = newView[integrationListPage]("integration_list.html")

// Integrations lists all integrations by category.
func Integrations(finder IntegrationFinder, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := finder.Integrations(r.Context())
		if err != nil {
			return err
		}
		var page integrationListPage
		for _, i := range all {
			line := integrationLine{Name: i.Name, Href: integrationHref(i.Slug), Summary: i.Summary, Badge: integrationBadge(i), Warnings: i.Warnings, Changed: at(i.UpdatedAt, now())}
			page.add(i.Category, line)
		}
		return integrationListView.write(w, r, http.StatusOK, newFrame(r, inIntegrations, "Integrations"), page)
	})
}

// add puts a line under its category.
func (p *integrationListPage) add(category string, line integrationLine) {
	id := strings.ReplaceAll(category, "_", "-")
	for i := range p.Groups {
		if p.Groups[i].ID == id {
			p.Groups[i].Lines = append(p.Groups[i].Lines, line)
			return
		}
	}
	words := categories[category]
	p.Groups = append(p.Groups, integrationGroup{ID: id, Name: words.name, Why: words.why, Lines: []integrationLine{line}})
}

func integrationHref(slug string) string { return "/integrations/" + slug }

// integrationBadge says whether an integration can be used.
func integrationBadge(i integrations.Integration) badge {
	switch {
	case i.Locked:
		return badge{"ok", "lock", "Always enabled"}
	case lacksSetting(i) && i.Enabled:
		return badge{"warn", "alert", "Incomplete"}
	case i.Enabled:
		return badge{"ok", "check", "Enabled"}
	case lacksSetting(i):
		return badge{"idle", "circle", "Not configured"}
	}
	return badge{"idle", "stop", "Disabled"}
}

// lacksSetting reports whether something that is required is not set.
func lacksSetting(i integrations.Integration) bool {
	for _, f := range i.Fields {
		if f.Required && i.Settings[f.Name] == "" && !i.Set[f.Name] {
			return true
		}
	}
	return false
}
