package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers"
)

// TestAnotherSiteReadsAndChangesNothing: whatever a page of another site asks for in an administrator's browser, it gets
// no leave to read, frame or guess at the answer, it changes nothing, and no stream begins. (X2, X3, X4)
func TestAnotherSiteReadsAndChangesNothing(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleAdmin))
	asked := 0
	for _, route := range handlers.Routes(s.deps) {
		if route.Method != http.MethodGet {
			continue
		}
		for name, header := range map[string]http.Header{
			"a script":          {"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}},
			"a picture":         {"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"no-cors"}},
			"a sandboxed frame": {"Origin": {"null"}},
		} {
			asked++
			before := s.writes()
			w := s.doBriefly(call{method: http.MethodGet, path: absent(route.Pattern), session: session, header: header}, route.Streams)
			if s.writes() != before {
				t.Errorf("%s of another site asks for %s: something was written", name, route.Pattern)
			}
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Content-Security-Policy": "frame-ancestors 'none'"} {
				if got := w.Header().Get(name); !strings.Contains(got, want) {
					t.Errorf("%s: %s is %q", route.Pattern, name, got)
				}
			}
			for header := range w.Header() {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("%s of another site asks for %s: it gets %s", name, route.Pattern, header)
				}
			}
			if refused := w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), "request.cross_origin"); refused != route.Streams {
				t.Errorf("%s of another site asks for %s: %d %s; it streams: %t", name, route.Pattern, w.Code, w.Body, route.Streams)
			}
		}
	}
	t.Logf("%d requests of another site", asked)
}
