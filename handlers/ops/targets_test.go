package ops_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"berth/handlers/ops"
)

// TestTargetsAreAsBrowsersSeeThem: host, port and scheme of a scrape are those of APP_URL. SPEC §4.
func TestTargetsAreAsBrowsersSeeThem(t *testing.T) {
	for app, want := range map[string]struct{ target, scheme string }{
		"http://localhost:8090":          {"localhost:8090", "http"},
		"http://berth.example.com":       {"berth.example.com:80", "http"},
		"https://berth.example.com":      {"berth.example.com:443", "https"},
		"https://berth.example.com:8444": {"berth.example.com:8444", "https"},
		"https://[2001:db8::1]":          {"[2001:db8::1]:443", "https"},
	} {
		address, err := url.Parse(app)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		ops.Targets(address).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/custom/metrics/targets", nil))
		var groups []ops.TargetGroup
		if err := json.Unmarshal(w.Body.Bytes(), &groups); err != nil || w.Header().Get("Content-Type") != "application/json" || len(groups) != 1 {
			t.Fatalf("%s: %d %v %s", app, w.Code, err, w.Body)
		}
		if got := groups[0]; len(got.Targets) != 1 || got.Targets[0] != want.target || got.Labels["__scheme__"] != want.scheme || got.Labels["__metrics_path__"] != "/metrics" {
			t.Errorf("%s: %+v", app, got)
		}
	}
}
