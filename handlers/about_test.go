package handlers_test

import (
	"net/http"
	"testing"

	"berth/core/access"
	"berth/handlers/api"
)

// Whoever may look at anything may see what program this is.
func TestWhatProgramThisIs(t *testing.T) {
	s := newStand(t)
	s.found()
	viewer := s.session(s.user(access.RoleViewer))
	says(t, s.browse(viewer, "/about"), 200, "Berth 0.4.0", "SQLite, schema 31", "in this process", "go1.26.8", "2 Jan 2026, 03:04:05 UTC", "example.com/a")
	says(t, s.browse(viewer, "/"), 200, `href="/about"`)
	says(t, s.browse(s.session(s.user(access.RoleMonitoring)), "/about"), 403)
	got := into[api.AboutAnswer](t, s, 200, call{method: http.MethodGet, path: "/api/custom/about", key: s.keyOf(access.RoleViewer)})
	if got.Version != "0.4.0" || got.Schema != 31 || got.Database != "SQLite" || len(got.Modules) != 1 || got.BeganAt.Year() != 2026 {
		t.Errorf("%+v", got)
	}
}
