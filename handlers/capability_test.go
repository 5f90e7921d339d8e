package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers"
	"berth/handlers/guard"
)

// open is every route of the API and every page that needs no credential.
var open = []string{
	"GET /api/custom/setup", "POST /api/custom/setup", "POST /api/custom/login",
	"GET /setup", "POST /setup", "GET /login", "POST /login", "POST /login/code", "GET /login/oidc", "GET /login/oidc/callback", "GET /api/custom/openapi.json", "GET /api/custom/docs",
	"POST /api/custom/invites/{token}/accept", "GET /invites/{token}", "POST /invites/{token}", "POST /api/custom/resets/{token}", "GET /resets/{token}", "POST /resets/{token}",
	"POST /api/custom/resets", "GET /resets", "POST /resets",
}

// own is every route about whoever asks, beside those below /me and /profile.
var own = []string{"GET /api/custom/me", "POST /api/custom/logout", "POST /logout", "GET /design"}

// administered are the areas that only administrators may see, as the roles of the HTTP contract say.
var administered = []string{"users", "invites", "service-accounts", "integrations", "hubs", "backups", "configuration", "audit-events", "policy", "settings", "email", "keys", "worker-tokens"}

// needed says what a route must demand, from its address and method alone, so that a row
// cannot grant more than its area does.
func needed(r handlers.Route) access.Capability {
	name := r.Method + " " + r.Pattern
	area, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.Pattern, "/api/custom"), "/"), "/")
	read := r.Method == http.MethodGet && !asks(r)
	switch {
	case slices.Contains(open, name):
		return access.Public
	case slices.Contains(own, name), area == "me", area == "profile":
		return access.SignedIn
	case r.Surface == guard.Scrape:
		return access.Metrics
	case strings.HasPrefix(r.Pattern, "/api/custom/integrations/vault/"), strings.HasPrefix(r.Pattern, "/api/custom/integrations/manager/"):
		return access.Operate // who edits variables picks secrets; names only
	case strings.HasPrefix(r.Pattern, "/api/custom/git-providers/"):
		return access.Operate // who adds repositories picks them
	case slices.Contains(administered, area), area == "workers" && (!read || strings.HasSuffix(r.Pattern, "/policy")):
		return access.Administer
	case read:
		return access.View
	}
	return access.Operate
}

// asks reports whether a page does nothing but ask for what a form then does, and so demands the same.
func asks(r handlers.Route) bool {
	last := r.Pattern[strings.LastIndexByte(r.Pattern, '/')+1:]
	return r.Surface == guard.Page && slices.Contains([]string{"new", "settings", "delete", "redeploy", "rollback", "transfer", "revoke", "secrets", "rotate-key", "{variable}", "text", "run", "add", "following", "bulk", "review"}, last)
}

func TestEveryRouteDemandsWhatItsAreaDoes(t *testing.T) {
	for _, r := range handlers.Routes(newStand(t).deps) {
		if r.Surface == guard.Asset || r.Surface == guard.Probe || r.Surface == guard.Hook {
			continue // look at no credential; the table is refused where they would demand one
		}
		if want := needed(r); r.Capability != want {
			t.Errorf("%s %s demands %q, want %q", r.Method, r.Pattern, r.Capability, want)
		}
		if metrics := strings.HasSuffix(r.Pattern, "/metrics"); metrics && r.Surface != guard.Scrape {
			t.Errorf("%s %s takes sessions; scrape routes take keys alone", r.Method, r.Pattern)
		}
	}
}
