package handlers

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// nobody knows no credential.
type nobody struct{}

func (nobody) BySession(context.Context, string) (access.Principal, error) {
	return access.Principal{}, fault.New(fault.Unauthenticated, "auth.session", "no")
}

func (nobody) ByAPIKey(context.Context, string, string) (access.Principal, error) {
	return access.Principal{}, fault.New(fault.Unauthenticated, "auth.key", "no")
}

func testGuard() guard.Config {
	return guard.Config{AppURL: &url.URL{Scheme: "http", Host: "berth.test"}, Doorkeeper: nobody{},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func row(method, pattern string) Route {
	return Route{Method: method, Pattern: pattern, Capability: access.Public, Surface: guard.API,
		Handler: endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error { return endpoint.NoContent(w) })}
}

func TestUnknownAddressesAndMethodsAnswerAsProblems(t *testing.T) {
	h, err := build(testGuard(), []Route{row("GET", "/a/{id}"), row("PATCH", "/a/{id}"), row("DELETE", "/a/{id}"), row("GET", "/a/new"), row("POST", "/b")})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method, path string
		status       int
		allow, code  string
	}{
		"a route":                      {"GET", "/a/1", 204, "", ""},
		"HEAD of a route that is read": {"HEAD", "/a/1", 204, "", ""},
		"a more particular route":      {"GET", "/a/new", 204, "", ""},
		"another method":               {"PUT", "/a/1", 405, "DELETE, GET, HEAD, PATCH", "route.method_not_allowed"},
		"reading what is only written": {"GET", "/b", 405, "POST", "route.method_not_allowed"},
		"an unknown address":           {"GET", "/c", 404, "", "route.not_found"},
		"a trailing slash":             {"GET", "/b/", 404, "", "route.not_found"},
		"a path that climbs":           {"GET", "/x/../a/1", 404, "", "route.not_found"},
		"a doubled slash":              {"GET", "//a/1", 404, "", "route.not_found"},
		"an escaped slash in an id":    {"GET", "/a/..%2f1", 204, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(c.method, "http://berth.test"+c.path, nil)
			h.ServeHTTP(w, r)
			if w.Code != c.status || w.Header().Get("Allow") != c.allow {
				t.Errorf("got %d, Allow %q; want %d, %q", w.Code, w.Header().Get("Allow"), c.status, c.allow)
			}
			if c.code == "" {
				return
			}
			if kind := w.Header().Get("Content-Type"); kind != "application/problem+json" || !strings.Contains(w.Body.String(), `"code":"`+c.code+`"`) {
				t.Errorf("answer is %s: %s", kind, w.Body)
			}
		})
	}
}

func TestATableWithABadRowIsRefused(t *testing.T) {
	for name, routes := range map[string][]Route{
		"no capability":                       {{Method: "GET", Pattern: "/a", Surface: guard.API, Handler: http.NotFoundHandler()}},
		"an unknown capability":               {{Method: "GET", Pattern: "/a", Capability: "everything", Surface: guard.API, Handler: http.NotFoundHandler()}},
		"no surface":                          {{Method: "GET", Pattern: "/a", Capability: access.View, Handler: http.NotFoundHandler()}},
		"a capability that nobody can prove":  {{Method: "GET", Pattern: "/a", Capability: access.View, Surface: guard.Asset, Handler: http.NotFoundHandler()}},
		"no method":                           {{Pattern: "/a", Capability: access.View, Surface: guard.API, Handler: http.NotFoundHandler()}},
		"no path":                             {{Method: "GET", Capability: access.View, Surface: guard.API, Handler: http.NotFoundHandler()}},
		"no handler":                          {{Method: "GET", Pattern: "/a", Capability: access.View, Surface: guard.API}},
		"two rows for one address":            {row("GET", "/a"), row("GET", "/a")},
		"two rows of which neither is closer": {row("GET", "/a/{x}/c"), row("GET", "/a/b/{y}")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := build(testGuard(), routes); err == nil {
				t.Error("the table was accepted")
			}
		})
	}
}
