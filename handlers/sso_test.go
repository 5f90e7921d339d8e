package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/handlers/endpoint"
)

// voyage is a browser that was sent to the provider.
type voyage struct{ state, cookie string }

// away takes the answer that sends a browser to the provider apart.
func away(t *testing.T, w *httptest.ResponseRecorder, to string) voyage {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil || u.Host != "id.example.org" || u.Query().Get("state") == "" || u.Query().Get("redirect_uri") != origin+"/login/oidc/callback" {
		t.Fatalf("%d leads to %q: %s", w.Code, to, w.Body)
	}
	return voyage{u.Query().Get("state"), tripIn(w).Value}
}

// tripIn is the cookie of a trip in an answer.
func tripIn(w *httptest.ResponseRecorder) *http.Cookie {
	for _, c := range w.Result().Cookies() {
		if c.Name == endpoint.TripCookie {
			return c
		}
	}
	return &http.Cookie{}
}

func (s *stand) leave(t *testing.T, session, next string) voyage {
	t.Helper()
	w := s.browse(session, "/login/oidc?"+url.Values{"next": {next}}.Encode())
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return away(t, w, w.Header().Get("Location"))
}

// comeBack brings what a browser brings: the cookie of the trip, that of its session if it has one, and the query.
func (s *stand) comeBack(session string, v voyage, query url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	header := http.Header{"Accept": {"text/html"}, "Sec-Fetch-Site": {"cross-site"}}
	cookies := endpoint.TripCookie + "=" + v.cookie
	if session != "" {
		cookies += "; " + endpoint.SessionCookie + "=" + session
	}
	if v.cookie != "" || session != "" {
		header.Set("Cookie", cookies)
	}
	if !query.Has("state") {
		query.Set("state", v.state)
	}
	return s.do(call{method: http.MethodGet, path: "/login/oidc/callback?" + query.Encode(), header: header})
}

func (s *stand) signInAs(t *testing.T, who string) *httptest.ResponseRecorder {
	t.Helper()
	return s.comeBack("", s.leave(t, "", "/stacks"), url.Values{"code": {who}})
}

func TestSigningInAtTheProvider(t *testing.T) {
	s := newStand(t)
	leadsTo(t, s.browse("", "/login/oidc"), "/setup")
	s.found()
	says(t, s.browse("", "/login?next=/stacks"), 200, "Sign in with Staff", `href="/login/oidc?next=%2Fstacks"`)
	w := s.browse("", "/login/oidc?next=/stacks")
	trip := tripIn(w)
	if !trip.HttpOnly || trip.SameSite != http.SameSiteLaxMode || trip.Path != "/login/oidc" || trip.Secure || trip.MaxAge != 600 || w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("cookie %v, header %v", trip, w.Header())
	}
	v := away(t, w, w.Header().Get("Location"))
	w = s.comeBack("", v, url.Values{"code": {"dora"}, "iss": {providerIssuer}, "session_state": {"x"}})
	leadsTo(t, w, "/stacks")
	if gone := tripIn(w); gone.MaxAge >= 0 || gone.Path != "/login/oidc" {
		t.Errorf("the trip's cookie stays: %v", gone)
	}
	session := cookieOf(t, w).Value
	if me := decode[map[string]string](t, s.do(call{method: "GET", path: "/api/custom/me", session: session})); me["name"] != "dora@staff.example.org" || me["role"] != "operator" {
		t.Errorf("me is %v", me)
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'session.open' AND result = 'done' AND detail = ? AND address = '192.0.2.1'`, "single sign-on at "+providerIssuer); n != 1 {
		t.Errorf("%d audit events", n)
	}
	leadsTo(t, s.signInAs(t, "dora"), "/stacks")
	if n := s.count(`SELECT count(*) FROM users WHERE email = 'dora@staff.example.org' AND password = ''`); n != 1 {
		t.Errorf("%d accounts", n)
	}
	says(t, s.comeBack("", v, url.Values{"code": {"dora"}}), 409, "used before")
}

func TestTheTripsCookieDemandsTLSWhereTheServerHasIt(t *testing.T) {
	s := newStand(t)
	s.deps.Guard.AppURL.Scheme = "https"
	s.build()
	s.found()
	if trip := tripIn(s.browse("", "/login/oidc")); !trip.Secure {
		t.Errorf("cookie %v", trip)
	}
}

// TestNobodyIsLedElsewhere: where to go afterwards is a path here, whatever the address or the cookie says.
func TestNobodyIsLedElsewhere(t *testing.T) {
	s := newStand(t)
	s.found()
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)", "/a\nLocation: x", strings.Repeat("/a", 3000)} {
		leadsTo(t, s.comeBack("", s.leave(t, "", next), url.Values{"code": {"dora"}}), "/")
	}
	v := s.leave(t, "", "/stacks")
	head, _, _ := strings.Cut(v.cookie, ".")
	v.cookie = head + ".Ly9ldmlsLmV4YW1wbGU" // //evil.example
	w := s.comeBack("", v, url.Values{"code": {"dora"}})
	if w.Code != 409 || strings.Contains(w.Body.String(), "evil.example") {
		t.Errorf("a changed cookie: %d %s", w.Code, w.Body)
	}
}

// TestASessionNeverSurvivesTheProvider: whoever planted a cookie in a browser has nothing.
func TestASessionNeverSurvivesTheProvider(t *testing.T) {
	s := newStand(t)
	old := s.session(s.found())
	w := s.comeBack(old, s.leave(t, old, "/"), url.Values{"code": {"dora"}})
	if fresh := cookieOf(t, w).Value; fresh == old {
		t.Error("signing in kept the session")
	}
	wantStatus(t, "the old session", s.do(call{method: "GET", path: "/api/custom/me", session: old}), 401, "")
}

// TestWhatTheProviderMayNot: nobody is signed in, the page says why and what next, the password form is there, and the audit tells.
func TestWhatTheProviderMayNot(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*stand, *voyage, url.Values)
		status  int
		text    string
		code    string // in the audit; empty: it is not noted, because anybody could make it up
	}{
		"no state":              {func(_ *stand, v *voyage, q url.Values) { q.Set("state", "") }, 409, "does not belong to a sign-in", ""},
		"another's state":       {func(_ *stand, v *voyage, q url.Values) { q.Set("state", strings.Repeat("A", 96)) }, 409, "does not belong to a sign-in", ""},
		"without the cookie":    {func(_ *stand, v *voyage, _ url.Values) { v.cookie = "" }, 409, "another browser", "oidc.other_browser"},
		"with another's cookie": {func(_ *stand, v *voyage, _ url.Values) { v.cookie = "x" }, 409, "another browser", "oidc.other_browser"},
		"too late":              {func(s *stand, _ *voyage, _ url.Values) { s.later(11 * time.Minute) }, 409, "10 minutes", "oidc.state_expired"},
		"declined there":        {func(_ *stand, _ *voyage, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, 409, "did not let you in", "oidc.declined"},
		"from another issuer":   {func(_ *stand, _ *voyage, q url.Values) { q.Set("iss", "https://evil.example") }, 409, "names another provider", "oidc.other_issuer"},
		"an unknown code":       {func(_ *stand, _ *voyage, q url.Values) { q.Set("code", "eve") }, 409, "", "oidc.exchange"},
		"without a role":        {func(_ *stand, _ *voyage, q url.Values) { q.Set("code", "nina") }, 403, "OIDC_ROLE_MAP", "oidc.no_role"},
		"a token that is refused": {func(s *stand, _ *voyage, _ url.Values) {
			s.provider.err = fault.New(fault.Unauthenticated, "oidc.token", "The token is bad.")
		}, 401, "The token is bad.", "oidc.token"},
		"a provider that is away": {func(s *stand, _ *voyage, _ url.Values) {
			s.provider.err = fault.New(fault.Unavailable, "oidc.away", "It is away.")
		}, 503, "It is away.", "oidc.away"},
		"an address that is taken": {func(s *stand, _ *voyage, _ url.Values) {
			s.say("dora", func(p *identity.ProviderIdentity) { p.Email = "admin@example.org" })
		}, 409, "an address alone links nothing", "oidc.email_taken"},
		"an unverified address": {func(s *stand, _ *voyage, _ url.Values) {
			s.say("dora", func(p *identity.ProviderIdentity) { p.EmailVerified = false })
		}, 403, "Verify it there", "oidc.email_unverified"},
		"somebody who is barred": {func(s *stand, _ *voyage, _ url.Values) {
			s.signInAs(s.t.(*testing.T), "dora")
			s.exec(`UPDATE users SET disabled = 1 WHERE name = 'dora'`)
		}, 403, "is disabled", "oidc.disabled"},
		"somebody whose role is gone": {func(s *stand, _ *voyage, _ url.Values) {
			s.signInAs(s.t.(*testing.T), "dora")
			s.say("dora", func(p *identity.ProviderIdentity) { p.Claims = nil })
		}, 403, "none of your groups", "oidc.no_role"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.found()
			v, query := s.leave(t, "", "/stacks"), url.Values{"code": {"dora"}}
			c.prepare(s, &v, query)
			w := s.comeBack("", v, query)
			says(t, w, c.status, c.text, `name="password"`, "Sign in with Staff")
			for _, cookie := range w.Result().Cookies() {
				if cookie.Name == endpoint.SessionCookie {
					t.Errorf("there is a session: %v", cookie)
				}
			}
			noted := s.count(`SELECT count(*) FROM audit_events WHERE action = 'session.open' AND result = 'refused'`)
			right := s.count(`SELECT count(*) FROM audit_events WHERE action = 'session.open' AND result = 'refused' AND detail = ?`, "single sign-on at "+providerIssuer+": "+c.code)
			if want := min(1, len(c.code)); noted != want || right != want {
				t.Errorf("%d refusals are in the audit, %d as they should be", noted, right)
			}
		})
	}
}

// say changes what the provider says of somebody.
func (s *stand) say(who string, change func(*identity.ProviderIdentity)) {
	p := s.provider.people[who]
	change(&p)
	s.provider.people[who] = p
}

// TestAProviderThatIsAwayShutsNobodyOut who has a password.
func TestAProviderThatIsAwayShutsNobodyOut(t *testing.T) {
	s := newStand(t)
	s.found()
	s.provider.err = fault.New(fault.Unavailable, "oidc.away", "The single sign-on provider cannot be reached.")
	w := s.browse("", "/login/oidc?next=/stacks")
	says(t, w, 503, "cannot be reached", `name="password"`, `value="/stacks"`)
	if trip := tripIn(w); trip.Value != "" {
		t.Errorf("it hands out %v", trip)
	}
	leadsTo(t, s.post("", "/login", "email", "admin@example.org", "password", password, "next", "/stacks"), "/stacks")
}

func TestSingleSignOnThatIsNotSetUp(t *testing.T) {
	s := newStand(t)
	s.deps.Identity.SignOn = identity.NewSSO(identity.SSOOptions{}, s.store, s.signIn)
	s.build()
	session := s.session(s.found())
	if page := s.browse("", "/login").Body.String(); strings.Contains(page, "/login/oidc") {
		t.Errorf("the sign-in page offers it: %s", page)
	}
	says(t, s.browse("", "/login/oidc"), 404, "is not set up", `name="password"`)
	says(t, s.browse("", "/login/oidc/callback?code=x&state=y"), 404, "is not set up")
	if page := s.browse(session, "/profile").Body.String(); strings.Contains(page, "sso-h") {
		t.Errorf("the profile offers it: %s", page)
	}
	if w := s.post(session, "/profile/sso/link", "password", password); w.Code != 404 {
		t.Errorf("linking: %d", w.Code)
	}
	wantStatus(t, "of the API", s.do(call{method: "DELETE", path: "/api/custom/me/sso", session: session}), 404, "oidc.off")
	if got := decode[map[string]any](t, s.do(call{method: "GET", path: "/api/custom/me/sso", session: session})); got["enabled"] != false {
		t.Errorf("%v", got)
	}
}

// TestLinkingAnAccount gives the role of the account, whatever the provider says, and both ways in.
func TestLinkingAnAccount(t *testing.T) {
	s := newStand(t)
	admin := s.found()
	session := s.session(admin)
	link := func(session, password string) (*httptest.ResponseRecorder, voyage) {
		w := s.post(session, "/profile/sso/link", "password", password)
		_, rest, _ := strings.Cut(w.Body.String(), `class="button is-main" href="`)
		to, _, found := strings.Cut(rest, `"`)
		if w.Code != 200 || !found {
			return w, voyage{}
		}
		return w, away(t, w, strings.ReplaceAll(to, "&amp;", "&"))
	}
	w, _ := link(session, "wrong")
	says(t, w, 422, "Is not your present password", "Link Staff")
	_, v := link(session, password)
	leadsTo(t, s.comeBack(session, v, url.Values{"code": {"nina"}}), "/profile?said=oidc-linked")
	says(t, s.browse(session, "/profile?said=oidc-linked"), 200, "The account is linked", "Unlink Staff")
	w = s.signInAs(t, "nina") // who has no role there
	leadsTo(t, w, "/stacks")
	if me := decode[map[string]string](t, s.do(call{method: "GET", path: "/api/custom/me", session: cookieOf(t, w).Value})); me["id"] != string(admin.ID) || me["role"] != "admin" {
		t.Errorf("me is %v", me)
	}
	again, _ := link(session, password)
	says(t, again, 409, "linked to single sign-on already")
	other := s.user(access.RoleViewer)
	theirs := s.session(other)
	_, v = link(theirs, password)
	says(t, s.comeBack(theirs, v, url.Values{"code": {"nina"}}), 409, "belongs to another account")
	got := decode[map[string]any](t, s.do(call{method: "GET", path: "/api/custom/me/sso", session: session}))
	if got["linked"] != true || got["made"] != false || got["provider"] != "Staff" || got["linked_at"] == nil {
		t.Errorf("%v", got)
	}
	leadsTo(t, s.post(session, "/profile/sso/unlink", "x", "1"), "/profile?said=oidc-unlinked")
	says(t, s.post(session, "/profile/sso/unlink", "x", "1"), 404, "is not linked")
	says(t, s.signInAs(t, "nina"), 403, "none of your groups")
	for _, action := range []string{"oidc.link", "oidc.unlink"} {
		if n := s.count(`SELECT count(*) FROM audit_events WHERE action = ? AND result = 'done' AND actor_id = ? AND detail = ?`, action, admin.ID, providerIssuer); n != 1 {
			t.Errorf("%d audit events %s", n, action)
		}
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'oidc.link' AND result = 'refused' AND actor_id = ?`, other.ID); n != 1 {
		t.Errorf("%d refused links in the audit", n)
	}
}

// TestALinkIsMadeByWhoBeganIt: a trip that another session began, or one to sign in, links nothing; and one to link opens no session.
func TestALinkIsMadeByWhoBeganIt(t *testing.T) {
	s := newStand(t)
	mine, theirs := s.session(s.found()), s.session(s.user(access.RoleAdmin))
	w := s.post(mine, "/profile/sso/link", "password", password)
	_, rest, _ := strings.Cut(w.Body.String(), `class="button is-main" href="`)
	to, _, _ := strings.Cut(rest, `"`)
	v := away(t, w, strings.ReplaceAll(to, "&amp;", "&"))
	says(t, s.comeBack(theirs, v, url.Values{"code": {"nina"}}), 409, "does not belong to a sign-in")
	says(t, s.comeBack("", v, url.Values{"code": {"dora"}}), 409, "does not belong to a sign-in")
	if w := s.do(call{method: "POST", path: "/profile/sso/link", session: mine, body: "password=" + url.QueryEscape(password),
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"cross-site"}}}); w.Code != 403 {
		t.Errorf("a page of another site begins it: %d", w.Code)
	}
	if n := s.count(`SELECT count(*) FROM oidc_identities`); n != 0 {
		t.Errorf("%d links", n)
	}
}

// TestTheLastAdministratorIsNotLockedOut where the provider alone says who has which role.
func TestTheLastAdministratorIsNotLockedOut(t *testing.T) {
	s := newStand(t)
	s.found()
	leadsTo(t, s.signInAs(t, "olga"), "/stacks")
	s.exec(`DELETE FROM users WHERE email = 'admin@example.org'`)
	for what, groups := range map[string][]string{"no role": nil, "a lower role": {"devs"}} {
		s.say("olga", func(p *identity.ProviderIdentity) { p.Claims = groups })
		w := s.signInAs(t, "olga")
		leadsTo(t, w, "/stacks?said=oidc-kept")
		session := cookieOf(t, w).Value
		says(t, s.browse(session, "/stacks?said=oidc-kept"), 200, "You stay an administrator because nobody else is one")
		if w := s.browse(session, "/users"); w.Code != 200 {
			t.Errorf("%s: %d", what, w.Code)
		}
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'user.keep_admin'`); n != 2 {
		t.Errorf("%d audit events", n)
	}
	s.exec(`INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES ('usr_00000000000000000000000009', 'z@example.org', 'Z', 'admin', 'x', 0, 0, 0)`)
	s.say("olga", func(p *identity.ProviderIdentity) { p.Claims = nil })
	says(t, s.signInAs(t, "olga"), 403, "Nobody was signed in")
}

// TestTheLastAdministratorWithASecondFactorIsToldToo that they stay one.
func TestTheLastAdministratorWithASecondFactorIsToldToo(t *testing.T) {
	s := newStand(t)
	s.found()
	leadsTo(t, s.signInAs(t, "olga"), "/stacks")
	s.exec(`DELETE FROM users WHERE email = 'admin@example.org'`)
	s.exec(`INSERT INTO second_factors (user_id, sealed, step, created_at) SELECT id, x'00', 1, 1 FROM users`)
	s.say("olga", func(p *identity.ProviderIdentity) { p.Claims = nil })
	says(t, s.signInAs(t, "olga"), 200, `name="code"`, `value="/stacks?said=oidc-kept"`)
}

// TestARoleFollowsTheProvider ends the sessions of the role before.
func TestARoleFollowsTheProvider(t *testing.T) {
	s := newStand(t)
	s.found()
	before := cookieOf(t, s.signInAs(t, "dora")).Value
	s.say("dora", func(p *identity.ProviderIdentity) { p.Claims = []string{"ops"} })
	after := cookieOf(t, s.signInAs(t, "dora")).Value
	wantStatus(t, "the session before", s.do(call{method: "GET", path: "/api/custom/me", session: before}), 401, "")
	wantStatus(t, "an administrator's page", s.do(call{method: "GET", path: "/api/custom/users", session: after}), 200, "")
}

// TestASecondFactorComesAfterTheProvider, and who has no password sets one up, and removes it, without.
func TestASecondFactorComesAfterTheProvider(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.deps.Guard.Doorkeeper = identity.NewDoorkeeper(s.store, s.ring, s.now).Demanding(true)
	s.build()
	s.found()
	session := cookieOf(t, s.signInAs(t, "olga")).Value
	leadsTo(t, s.browse(session, "/users"), "/profile/second-factor")
	page := s.browse(session, "/profile/second-factor").Body.String()
	_, rest, _ := strings.Cut(page, `name="secret" value="`)
	secret, _, _ := strings.Cut(rest, `"`)
	if strings.Contains(page, `name="password"`) {
		t.Error("it asks for a password that is none")
	}
	says(t, s.post(session, "/profile/second-factor", "secret", secret, "code", s.code(secret, 0)), 201, "Recovery codes")
	w := s.signInAs(t, "olga")
	says(t, w, 200, `name="ticket"`, `name="code"`, `value="/stacks"`)
	_, rest, _ = strings.Cut(w.Body.String(), `name="ticket" value="`)
	ticket, _, _ := strings.Cut(rest, `"`)
	if w := s.post("", "/login/code", "ticket", strings.Replace(ticket, ".", "0.", 1), "code", s.code(secret, 1), "next", "/stacks"); w.Code != 401 {
		t.Errorf("a ticket that was changed: %d", w.Code)
	}
	w = s.post("", "/login/code", "ticket", ticket, "code", s.code(secret, 1), "next", "/stacks")
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'session.open' AND detail LIKE 'single sign-on at %'`); n != 2 {
		t.Errorf("%d sessions are said to be opened by single sign-on, want the first and the one behind the second factor", n)
	}
	leadsTo(t, w, "/stacks")
	session = cookieOf(t, w).Value
	wantStatus(t, "an administrator's page", s.do(call{method: "GET", path: "/api/custom/users", session: session}), 200, "")
	s.later(2 * time.Minute)
	if w := s.post(session, "/profile/second-factor/remove", "code", s.code(secret, 0)); w.Code != 303 {
		t.Errorf("removing it: %d %s", w.Code, w.Body)
	}
}

// TestAnAccountWithoutAPassword has none to change, none is sent by e-mail, and it stays linked.
func TestAnAccountWithoutAPassword(t *testing.T) {
	s := newStand(t)
	s.found()
	session := cookieOf(t, s.signInAs(t, "dora")).Value
	page := s.browse(session, "/profile")
	says(t, page, 200, "This account has none", "made this account")
	if strings.Contains(page.Body.String(), "new_password") {
		t.Error("the page offers to change it")
	}
	admin := s.session(identity.User{Email: "admin@example.org"})
	says(t, s.browse(admin, "/users"), 200, `<span class="tag">single sign-on</span>`)
	w := s.do(call{method: "GET", path: "/api/custom/users", session: admin})
	for _, u := range decode[endpoint.Items[map[string]any]](t, w).Items {
		if made := u["email"] == "dora@staff.example.org"; u["single_sign_on"] != made {
			t.Errorf("%v", u)
		}
		if u["single_sign_on"] == true {
			says(t, s.browse(admin, "/users/"+u["id"].(string)), 200, "counts until they sign in there again")
		}
	}
	call := func(method, path, body string) call {
		return call{method: method, path: path, body: body, session: session}
	}
	wantStatus(t, "another password", s.do(call("PUT", "/api/custom/me/password", `{"password":"","new_password":"`+password+`"}`)), 409, "oidc.no_password")
	wantStatus(t, "another address", s.do(call("PATCH", "/api/custom/me", `{"email":"x@example.org"}`)), 409, "oidc.no_password")
	wantStatus(t, "unlinking", s.do(call("DELETE", "/api/custom/me/sso", "")), 409, "oidc.made")
	for _, guess := range []string{"", " ", "x"} {
		if w := s.do(call("POST", "/api/custom/login", fmt.Sprintf(`{"email":"dora@staff.example.org","password":%q}`, guess))); w.Code != 401 && w.Code != 422 {
			t.Errorf("signing in with %q: %d", guess, w.Code)
		}
	}
	says(t, s.post("", "/login", "email", "dora@staff.example.org", "password", " "), 401, "is wrong")
}

func TestTripsToTheProviderAreThrottled(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.found()
	got := map[int]int{}
	for range 100 {
		got[s.browse("", "/login/oidc").Code]++
	}
	if got[303] != 60 || got[429] != 40 {
		t.Errorf("statuses %v", got)
	}
	w := s.browse("", "/login/oidc")
	says(t, w, 429, "too many tries")
	if w.Header().Get("Retry-After") == "" {
		t.Error("it does not say when")
	}
	leadsTo(t, s.post("", "/login", "email", "admin@example.org", "password", password), "/")
}

// TestNoPasswordIsSentToAnAccountWithoutOne, which would let somebody in whom the provider does not let in any more. An administrator's
// link does give them one.
func TestNoPasswordIsSentToAnAccountWithoutOne(t *testing.T) {
	s := newStand(t)
	s.found()
	s.mailsOn()
	s.signInAs(t, "dora")
	says(t, s.post("", "/resets", "email", "dora@staff.example.org"), 200, "If there is an account")
	if got := s.mails(); len(got) != 0 {
		t.Errorf("%d e-mails wait", len(got))
	}
	var id string
	s.must(s.raw.QueryRow(`SELECT id FROM users WHERE name = 'dora'`).Scan(&id))
	reset := decode[map[string]any](t, s.asAdmin("POST", "/api/custom/users/"+id+"/reset", "", 201))
	wantStatus(t, "the link", s.do(call{method: "POST", path: "/api/custom/resets/" + tokenOf(reset), body: `{"password":"` + password + `"}`}), 204, "")
	wantStatus(t, "the password", s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"dora@staff.example.org","password":"` + password + `"}`}), 200, "")
	leadsTo(t, s.signInAs(t, "dora"), "/stacks")
}
