package handlers_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/identity"
	"berth/core/secrets"
)

// code is what an authenticator app shows, so many steps from now.
func (s *stand) code(secret string, steps int) string {
	s.t.Helper()
	raw, err := base32.StdEncoding.DecodeString(secret)
	s.must(err)
	mac := hmac.New(sha1.New, raw)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(s.now().Unix()/30+int64(steps))))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1_000_000)
}

// guard gives a user a second factor whose secret is all zeros, and returns a recovery code.
func (s *stand) guard(u identity.User) (recovery string) {
	s.t.Helper()
	secret := strings.Repeat("A", 32)
	codes, err := s.deps.Identity.People.ConfirmFactor(s.t.Context(), u.Principal(""), secret, s.code(secret, -1), secrets.NewValue(password))
	s.must(err)
	return codes[0]
}

func (s *stand) signIn2(u identity.User, code string) *httptest.ResponseRecorder {
	return s.do(call{method: "POST", path: "/api/custom/login", body: fmt.Sprintf(`{"email":%q,"password":%q,"code":%q}`, u.Email, password, code)})
}

func TestSigningInWithASecondFactor(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.found()
	u := s.user(access.RoleOperator)
	recovery := s.guard(u)
	secret := strings.Repeat("A", 32)
	wantStatus(t, "without a code", s.signIn2(u, ""), 401, "auth.code_required")
	wantStatus(t, "a wrong password", s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"` + u.Email + `","password":"wrong","code":"` + s.code(secret, 0) + `"}`}), 401, "auth.failed")
	wantStatus(t, "the code that set it up", s.signIn2(u, s.code(secret, -1)), 401, "auth.code_wrong")
	wantStatus(t, "a code of two steps ahead", s.signIn2(u, s.code(secret, 2)), 401, "auth.code_wrong")
	wantStatus(t, "the code", s.signIn2(u, s.code(secret, 0)), 200, "")
	wantStatus(t, "the code again", s.signIn2(u, s.code(secret, 0)), 401, "auth.code_wrong")
	wantStatus(t, "the next one, of a clock that is fast", s.signIn2(u, s.code(secret, 1)), 200, "")
	wantStatus(t, "a recovery code", s.signIn2(u, strings.ToUpper(recovery)), 200, "")
	wantStatus(t, "a recovery code again", s.signIn2(u, recovery), 401, "auth.code_wrong")
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'second_factor.recovery' AND actor_id = ?`, u.ID); n != 1 {
		t.Errorf("%d audit events of the recovery code", n)
	}
	if n := s.count(`SELECT count(*) FROM second_factors WHERE instr(sealed, x'0000000000000000') > 0`); n != 0 {
		t.Error("the secret is in the database as it is")
	}
}

// TestGuessingCodesIsSlow: whoever has the password has not the account.
func TestGuessingCodesIsSlow(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.found()
	u := s.user(access.RoleAdmin)
	s.guard(u)
	tried := 0
	for i := range 100 {
		w := s.do(call{method: "POST", path: "/api/custom/login", client: fmt.Sprintf("198.51.100.%d", i),
			body: fmt.Sprintf(`{"email":%q,"password":%q,"code":"%06d"}`, u.Email, password, i)})
		if w.Code == 401 {
			tried++
		}
	}
	if tried > 11 {
		t.Errorf("%d codes were tried at once", tried)
	}
}

func TestTheSecondStepOfThePage(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.found()
	u := s.user(access.RoleOperator)
	s.guard(u)
	ticket := func() string {
		w := s.post("", "/login", "email", u.Email, "password", password, "next", "/stacks")
		_, rest, _ := strings.Cut(w.Body.String(), `name="ticket" value="`)
		ticket, _, found := strings.Cut(rest, `"`)
		if w.Code != 200 || !found || len(w.Result().Cookies()) != 0 {
			t.Fatalf("the first step: %d %s", w.Code, w.Body)
		}
		return ticket
	}
	good := ticket()
	code := func() string { return s.code(strings.Repeat("A", 32), 0) }
	if w := s.post("", "/login/code", "ticket", good, "code", "000000"); w.Code != 401 || !strings.Contains(w.Body.String(), good) {
		t.Errorf("a wrong code: %d %s", w.Code, w.Body)
	}
	for name, bad := range map[string]string{"none": "none", "of another": strings.Replace(good, string(u.ID), "usr_00000000000000000000000000", 1), "prolonged": strings.Replace(good, ".1", ".2", 1), "cut": good[:len(good)-1]} {
		if w := s.post("", "/login/code", "ticket", bad, "code", code()); w.Code != 401 || len(w.Result().Cookies()) != 0 {
			t.Errorf("a ticket that is %s: %d", name, w.Code)
		}
	}
	w := s.post("", "/login/code", "ticket", good, "code", code(), "next", "/stacks")
	if w.Code != 303 || w.Header().Get("Location") != "/stacks" || cookieOf(t, w).Value == "" {
		t.Errorf("the code: %d %s", w.Code, w.Body)
	}
	late := ticket()
	s.later(6 * time.Minute)
	if w := s.post("", "/login/code", "ticket", late, "code", code()); w.Code != 401 {
		t.Errorf("a late ticket: %d", w.Code)
	}
	stale := ticket()
	s.exec(`UPDATE users SET password = 'pbkdf2-sha256$1$AAAA$AAAA' WHERE id = ?`, u.ID)
	if w := s.post("", "/login/code", "ticket", stale, "code", code()); w.Code != 401 {
		t.Errorf("a ticket of the password before: %d", w.Code)
	}
}

// TestAdministratorsAreLedToASecondFactor where the server demands one.
func TestAdministratorsAreLedToASecondFactor(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now().Truncate(time.Minute)
	s.deps.Guard.Doorkeeper = identity.NewDoorkeeper(s.store, s.ring, s.now).Demanding(true)
	s.build()
	admin, operator := s.found(), s.user(access.RoleOperator)
	session := s.session(admin)
	get := func(path, session string) call { return call{method: "GET", path: path, session: session} }
	for _, path := range []string{"/api/custom/users", "/api/custom/stacks", "/api/custom/audit-events"} {
		wantStatus(t, path, s.do(get(path, session)), 403, "auth.second_factor_required")
	}
	leadsTo(t, s.browse(session, "/users"), "/profile/second-factor")
	leadsTo(t, s.browse(session, "/"), "/profile/second-factor")
	wantStatus(t, "who asks", s.do(get("/api/custom/me", session)), 200, "")
	wantStatus(t, "an operator", s.do(get("/api/custom/stacks", s.session(operator))), 200, "")
	_, key := s.key(s.account(access.RoleAdmin), 0)
	wantStatus(t, "a program", s.do(call{method: "GET", path: "/api/custom/users", key: key}), 200, "")
	page := s.browse(session, "/profile/second-factor").Body.String()
	_, rest, _ := strings.Cut(page, `name="secret" value="`)
	secret, _, _ := strings.Cut(rest, `"`)
	if !strings.Contains(page, `<svg class="qr"`) {
		t.Error("there is no picture for the app to read")
	}
	says(t, s.post(session, "/profile/second-factor", "secret", secret, "code", s.code(secret, 0), "password", password), 201, "Recovery codes")
	wantStatus(t, "afterwards", s.do(get("/api/custom/users", session)), 200, "")
	wantStatus(t, "one's own by force", s.do(call{method: "DELETE", path: "/api/custom/users/" + string(admin.ID) + "/second-factor", session: session}), 409, "second_factor.own")
	s.asAdmin("DELETE", "/api/custom/users/"+string(admin.ID)+"/second-factor", "", 204)
	wantStatus(t, "after another removed it", s.do(get("/api/custom/users", session)), 403, "auth.second_factor_required")
}

// post submits a form of pairs of names and values.
func (s *stand) post(session, path string, pairs ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return s.submit(session, path, form)
}

// sessionWith signs a user in who has a second factor, and returns the cookie's value.
func (s *stand) sessionWith(u identity.User, code string) string {
	s.t.Helper()
	session, err := s.signIn.OpenWithCode(s.t.Context(), access.Anonymous("203.0.113.50"), u.Email, secrets.NewValue(password), code)
	s.must(err)
	return session.Cookie.Reveal()
}

// ticket is what somebody has between their password and their code, given at an address where no test is.
func (s *stand) ticket(u identity.User) string {
	s.t.Helper()
	_, ticket, err := s.signIn.Begin(s.t.Context(), access.Anonymous("203.0.113.50"), u.Email, secrets.NewValue(password))
	s.must(err)
	return ticket.Reveal()
}
