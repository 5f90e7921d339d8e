package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/endpoint"
)

const setupBody = `{"bootstrap_token":"` + bootstrapToken + `","email":" Ada@Example.org","password":"` + password + `","name":"Ada"}`

func wantStatus(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || code != "" && !strings.Contains(w.Body.String(), `"code":"`+code+`"`) {
		t.Errorf("%s: %d %s, want %d %s", what, w.Code, w.Body, status, code)
	}
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return v
}

func cookieOf(t *testing.T, w *httptest.ResponseRecorder) *http.Cookie {
	t.Helper()
	for _, c := range w.Result().Cookies() {
		if c.Name == endpoint.SessionCookie {
			return c
		}
	}
	t.Fatalf("no session cookie in %v", w.Header())
	return nil
}

func TestFirstUse(t *testing.T) {
	s := newStand(t)
	says(t, s.browse("", "/setup"), 200, `autocomplete="off" aria-describedby="f-bootstrap_token-beneath" autofocus`)
	w := s.do(call{method: "GET", path: "/api/custom/setup"})
	if got := strings.TrimSpace(w.Body.String()); got != `{"needed":true,"token_configured":true}` {
		t.Fatalf("before: %s", got)
	}
	wantStatus(t, "a wrong token", s.do(call{method: "POST", path: "/api/custom/setup", body: strings.Replace(setupBody, bootstrapToken, "wrong", 1)}), 403, "setup.token_wrong")
	wantStatus(t, "bad fields", s.do(call{method: "POST", path: "/api/custom/setup", body: `{"bootstrap_token":"` + bootstrapToken + `","email":"x","password":"short","name":" "}`}), 422, "setup.invalid")
	w = s.do(call{method: "POST", path: "/api/custom/setup", body: setupBody})
	wantStatus(t, "set-up", w, 201, "")
	if u := decode[map[string]any](t, w); u["email"] != "ada@example.org" || u["role"] != "admin" || u["password"] != nil {
		t.Errorf("the first administrator is %v", u)
	}
	wantStatus(t, "set-up again", s.do(call{method: "POST", path: "/api/custom/setup", body: setupBody}), 409, "setup.closed")
	wantStatus(t, "a wrong token afterwards", s.do(call{method: "POST", path: "/api/custom/setup", body: `{"bootstrap_token":"wrong"}`}), 409, "setup.closed")
	if w := s.do(call{method: "GET", path: "/api/custom/setup"}); !strings.Contains(w.Body.String(), `"needed":false`) {
		t.Errorf("after: %s", w.Body)
	}
	s.exec(`DELETE FROM users`)
	wantStatus(t, "set-up when all users are gone", s.do(call{method: "POST", path: "/api/custom/setup", body: setupBody}), 409, "setup.closed")
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'setup.complete' AND actor_name = 'ada@example.org' AND address = '192.0.2.1'`); n != 1 {
		t.Errorf("%d audit events of set-up, want 1", n)
	}
}

// TestParallelSetUpMakesOneAdministrator. (A6)
func TestParallelSetUpMakesOneAdministrator(t *testing.T) {
	s := newStand(t)
	statuses := make(chan int, 200)
	var tries sync.WaitGroup
	for range 200 {
		tries.Go(func() {
			statuses <- s.do(call{method: "POST", path: "/api/custom/setup", body: setupBody}).Code
		})
	}
	tries.Wait()
	close(statuses)
	got := map[int]int{}
	for status := range statuses {
		got[status]++
	}
	if got[201] != 1 || got[409] != 199 {
		t.Errorf("statuses %v, want one 201 and 199 409", got)
	}
	if n := s.count(`SELECT count(*) FROM users`); n != 1 {
		t.Errorf("%d users", n)
	}
}

func TestSigningInAndOut(t *testing.T) {
	s := newStand(t)
	s.found()
	login := func(email, password string) *httptest.ResponseRecorder {
		return s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"` + email + `","password":"` + password + `"}`})
	}
	wantStatus(t, "a wrong password", login("admin@example.org", "wrong"), 401, "auth.failed")
	unknown, known := login("nobody@example.org", password), login("admin@example.org", "wrong")
	if decode[map[string]any](t, unknown)["detail"] != decode[map[string]any](t, known)["detail"] {
		t.Error("the answer tells whether the account exists")
	}
	w := login(" ADMIN@example.org ", password)
	wantStatus(t, "signing in", w, 200, "")
	cookie := cookieOf(t, w)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure || cookie.Domain != "" {
		t.Errorf("cookie is %v", cookie)
	}
	if s.count(`SELECT count(*) FROM sessions WHERE instr(mac, ?) > 0 OR instr(id, ?) > 0`, cookie.Value[31:], cookie.Value[31:]) != 0 {
		t.Error("the cookie's secret is in the database")
	}
	w = s.do(call{method: "GET", path: "/api/custom/me", session: cookie.Value})
	if me := decode[map[string]string](t, w); me["kind"] != "user" || me["name"] != "admin@example.org" || me["role"] != "admin" {
		t.Errorf("me is %v", me)
	}
	w = s.do(call{method: "POST", path: "/api/custom/logout", session: cookie.Value})
	wantStatus(t, "signing out", w, 204, "")
	if cleared := cookieOf(t, w); cleared.MaxAge >= 0 || cleared.Value != "" {
		t.Errorf("signing out leaves %v", cleared)
	}
	wantStatus(t, "the session afterwards", s.do(call{method: "GET", path: "/api/custom/me", session: cookie.Value}), 401, "auth.required")
}

// TestASessionNeverSurvivesSigningIn: whoever planted a cookie in a browser has nothing. (A15)
func TestASessionNeverSurvivesSigningIn(t *testing.T) {
	s := newStand(t)
	old := s.session(s.found())
	w := s.do(call{method: "POST", path: "/api/custom/login", session: old, body: `{"email":"admin@example.org","password":"` + password + `"}`})
	if fresh := cookieOf(t, w).Value; fresh == old {
		t.Error("signing in kept the session")
	}
	wantStatus(t, "the old session", s.do(call{method: "GET", path: "/api/custom/me", session: old}), 401, "")
}

func TestCookiesDemandTLSWhereTheServerHasIt(t *testing.T) {
	s := newStand(t)
	s.deps.Guard.AppURL.Scheme = "https"
	s.build()
	s.found()
	w := s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"admin@example.org","password":"` + password + `"}`})
	if !cookieOf(t, w).Secure || w.Header().Get("Strict-Transport-Security") == "" {
		t.Errorf("headers are %v", w.Header())
	}
}

func TestSessionsEnd(t *testing.T) {
	for name, end := range map[string]func(*stand, string){
		"with their time":              func(s *stand, _ string) { s.later(30*24*time.Hour + time.Second) },
		"when the role changes":        func(s *stand, path string) { s.asAdmin("PATCH", path, `{"role":"viewer"}`, 200) },
		"when the user is disabled":    func(s *stand, path string) { s.asAdmin("PATCH", path, `{"disabled":true}`, 200) },
		"when the user is deleted":     func(s *stand, path string) { s.asAdmin("DELETE", path, "", 204) },
		"when the clock jumped a year": func(s *stand, _ string) { s.later(365 * 24 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.found()
			u := s.user(access.RoleOperator)
			session := s.session(u)
			wantStatus(t, "before", s.do(call{method: "GET", path: "/api/custom/me", session: session}), 200, "")
			end(s, "/api/custom/users/"+string(u.ID))
			wantStatus(t, "after", s.do(call{method: "GET", path: "/api/custom/me", session: session}), 401, "auth.required")
		})
	}
}

// asAdmin plays a request with an administrator's key.
func (s *stand) asAdmin(method, path, body string, status int) *httptest.ResponseRecorder {
	s.t.Helper()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	w := s.do(call{method: method, path: path, body: body, key: key})
	if w.Code != status {
		s.t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	return w
}

// TestTheLastAdministratorStays, also when two parallel requests remove one each. (A7)
func TestTheLastAdministratorStays(t *testing.T) {
	for name, c := range map[string]struct{ method, body string }{
		"disabled": {"PATCH", `{"disabled":true}`},
		"demoted":  {"PATCH", `{"role":"operator"}`},
		"deleted":  {"DELETE", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			_, key := s.key(s.account(access.RoleAdmin), 0) // a program does not count: nobody can sign in as it
			paths := []string{"/api/custom/users/" + string(s.found().ID), "/api/custom/users/" + string(s.user(access.RoleAdmin).ID)}
			var calls sync.WaitGroup
			statuses := make(chan int, len(paths))
			for _, path := range paths {
				calls.Go(func() { statuses <- s.do(call{method: c.method, path: path, body: c.body, key: key}).Code })
			}
			calls.Wait()
			if a, b := <-statuses, <-statuses; a+b != 409+200 && a+b != 409+204 {
				t.Errorf("statuses %d and %d, want one success and one 409", a, b)
			}
			if n := s.count(`SELECT count(*) FROM users WHERE role = 'admin' AND disabled = 0`); n != 1 {
				t.Errorf("%d administrators are left", n)
			}
		})
	}
}

func TestUsersAreListedInPages(t *testing.T) {
	s := newStand(t)
	s.found()
	for range 4 {
		s.user(access.RoleViewer)
	}
	type answer struct {
		Items []struct{ ID string }
		Next  string
	}
	seen, after := map[string]bool{}, ""
	for pages := 0; pages < 3; pages++ {
		list := decode[answer](t, s.asAdmin("GET", "/api/custom/users?limit=2&after="+after, "", 200))
		for _, u := range list.Items {
			seen[u.ID] = true
		}
		after = list.Next
	}
	if len(seen) != 5 || after != "" {
		t.Errorf("three pages of two held %d of 5 users, next %q", len(seen), after)
	}
	for _, query := range []string{"limit=0", "limit=501", "limit=x", "limit=-1", "after=" + strings.Repeat("a", 300)} {
		s.asAdmin("GET", "/api/custom/users?"+query, "", 422)
	}
}
