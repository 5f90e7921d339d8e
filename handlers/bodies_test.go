package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// badBodies are refused by every route that takes a body, whatever its fields are.
var badBodies = map[string]struct {
	body   string
	header http.Header
	status int
}{
	"nothing":                   {"", http.Header{"Content-Type": {"application/json"}}, 400},
	"a list":                    {"[]", nil, 400},
	"null":                      {"null", nil, 400},
	"a string":                  {`"x"`, nil, 400},
	"half an object":            {`{"a":`, nil, 400},
	"no JSON":                   {"name=x", nil, 400},
	"a field that it has not":   {`{"created_by_nobody":1}`, nil, 400},
	"something after it":        {`{} {}`, nil, 400},
	"a brace after it":          {`{}}`, nil, 400},
	"nesting without end":       {strings.Repeat(`{"a":`, 100_000), nil, 400},
	"lists without end":         {strings.Repeat(`[`, 100_000), nil, 400},
	"invalid UTF-8":             {"{\"\xff\":1}", nil, 400},
	"two mebibytes":             {`{"a":"` + strings.Repeat("x", 2<<20) + `"}`, nil, 413},
	"another media type":        {"{}", http.Header{"Content-Type": {"text/plain"}}, 415},
	"a form":                    {"a=b", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 415},
	"no media type":             {"{}", http.Header{"Content-Type": nil}, 415},
	"another character set":     {"{}", http.Header{"Content-Type": {"application/json; charset=latin1"}}, 415},
	"something compressed":      {"\x1f\x8b", http.Header{"Content-Encoding": {"gzip"}}, 415},
	"a media type that is none": {"{}", http.Header{"Content-Type": {"application/json; ="}}, 415},
}

// TestEveryBodyIsReadStrictly plays bad bodies to every route that takes one. (A2)
func TestEveryBodyIsReadStrictly(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	for _, route := range handlers.Routes(s.deps) {
		if route.Request == nil || route.Surface == guard.Hook { // Git hosts send what they like; see the tests of webhooks
			continue
		}
		before := s.writes()
		for name, c := range badBodies {
			if name == "nothing" && route.Optional {
				continue // see TestABodyThatMayBeLeftOut
			}
			w := s.do(call{method: route.Method, path: absent(route.Pattern), key: key, body: c.body, header: c.header})
			if w.Code != c.status {
				t.Errorf("%s to %s %s: %d, want %d: %s", name, route.Method, route.Pattern, w.Code, c.status, w.Body)
			}
		}
		if s.writes() != before {
			t.Errorf("%s %s wrote something for a bad body", route.Method, route.Pattern)
		}
	}
}

// TestABodyThatMayBeLeftOut is as good as an empty object, wherever the description says so.
func TestABodyThatMayBeLeftOut(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	seen := 0
	for _, route := range handlers.Routes(s.deps) {
		if !route.Optional {
			continue
		}
		seen++
		none, empty := s.do(call{method: route.Method, path: absent(route.Pattern), key: key}), s.do(call{method: route.Method, path: absent(route.Pattern), key: key, body: "{}"})
		if none.Code != empty.Code || none.Code != 404 && none.Code != 201 {
			t.Errorf("%s %s answers %d without a body, and %d to an empty object", route.Method, route.Pattern, none.Code, empty.Code)
		}
	}
	if seen < 4 {
		t.Errorf("%d routes take no body", seen)
	}
}

// TestNothingCanBeSlippedIn plays fields that only the server decides about to every route
// that takes a body. (A23)
func TestNothingCanBeSlippedIn(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	for _, route := range handlers.Routes(s.deps) {
		if route.Request == nil || route.Surface == guard.Hook { // Git hosts send what they like; see the tests of webhooks
			continue
		}
		for _, field := range []string{"id", "created_at", "created_by", "updated_at", "owner", "verified", "mac", "is_admin", "ROLE", "Disabled"} {
			w := s.do(call{method: route.Method, path: absent(route.Pattern), key: key, body: `{"` + field + `":true}`})
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"request.unknown_field"`) || !strings.Contains(w.Body.String(), `"path":"`+field+`"`) {
				t.Errorf("%s in %s %s: %d %s", field, route.Method, route.Pattern, w.Code, w.Body)
			}
		}
	}
}

// hostileIDs name nothing that exists, in ways that something might trip over.
var hostileIDs = []string{"absent", "usr_00000000000000000000000000", "..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", strings.Repeat("a", 10_000),
	"'%20OR%20'1'='1", "%E2%98%83", "%ff", "a%0ab", "%25", "*", "-1"}

// TestUnknownIDsAreNotFound plays them to every route that names something. (A3)
func TestUnknownIDsAreNotFound(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	for _, route := range handlers.Routes(s.deps) {
		if !strings.Contains(route.Pattern, "{") || !strings.HasPrefix(route.Pattern, "/api/") {
			continue
		}
		for _, id := range hostileIDs {
			c := call{method: route.Method, path: fill(route.Pattern, func(string) string { return id }), key: key}
			if route.Request != nil {
				c.body = "{}"
			}
			w := s.do(c)
			if w.Code >= 500 || w.Code < 400 || route.Request == nil && (w.Code != 404 || !isProblem(w)) {
				t.Errorf("%s %.60s: %d %s", c.method, c.path, w.Code, w.Body)
			}
		}
	}
}

func isProblem(w *httptest.ResponseRecorder) bool {
	return w.Header().Get("Content-Type") == "application/problem+json" && strings.Contains(w.Body.String(), `"code":"`)
}

// FuzzEveryBody plays any bytes to every route that takes a body. (F12)
func FuzzEveryBody(f *testing.F) {
	for _, c := range badBodies {
		if len(c.body) < 1000 {
			f.Add([]byte(c.body))
		}
	}
	f.Add([]byte(`{"email":"a@b","password":"x","name":"n","role":"admin","disabled":false,"expires_at":"2030-01-01T00:00:00Z"}`))
	s := newStand(f)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	f.Fuzz(func(t *testing.T, body []byte) {
		s.t = t // what f offers must not be used in here
		for _, route := range handlers.Routes(s.deps) {
			if route.Request == nil {
				continue
			}
			w := s.do(call{method: route.Method, path: absent(route.Pattern), key: key, body: string(body), header: http.Header{"Content-Type": {"application/json"}}})
			if w.Code >= 500 {
				t.Errorf("%s %s: %d %s", route.Method, route.Pattern, w.Code, w.Body)
			}
		}
	})
}

// TestNoAnswerTellsASecret checks that a request's password is not in what is answered
// to it, well or badly.
func TestNoAnswerTellsASecret(t *testing.T) {
	s := newStand(t)
	const canary = "canary-7f3a9c1e-password"
	for _, body := range []string{
		`{"bootstrap_token":"` + canary + `","email":"a@b","password":"` + canary + `","name":"n"}`,
		`{"bootstrap_token":"` + bootstrapToken + `","email":"","password":"` + canary + `","name":""}`,
		`{"email":1,"password":"` + canary + `"}`,
		`{"password":"` + canary + `","password":"` + canary + `"}`,
	} {
		for _, path := range []string{"/api/custom/setup", "/api/custom/login"} {
			if w := s.do(call{method: "POST", path: path, body: body}); strings.Contains(w.Body.String(), canary) {
				t.Errorf("%s answered %s", path, w.Body)
			}
		}
	}
	p := endpoint.ProblemOf(t.Context(), fault.New(fault.Conflict, "x.y", "public").Because(errSecret(canary)))
	if strings.Contains(p.Detail, canary) {
		t.Error("a problem shows its cause")
	}
}

type errSecret string

func (e errSecret) Error() string { return string(e) }
