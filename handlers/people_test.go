package handlers_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/identity"
)

type issuedLink struct{ ID, Link, Role string }

// invited makes an invitation and returns the path that accepts it.
func (s *stand) invited(email string, role access.Role) (id, accept string) {
	s.t.Helper()
	made := decode[issuedLink](s.t, s.asAdmin("POST", "/api/custom/users/invite", fmt.Sprintf(`{"email":%q,"role":%q}`, email, role), 201))
	return made.ID, "/api/custom/invites/" + path.Base(made.Link) + "/accept"
}

const acceptBody = `{"name":"Bob","password":"` + password + `"}`

func TestAnInvitationFromItsMakingToItsEnd(t *testing.T) {
	s := newStand(t)
	s.found()
	made := decode[issuedLink](t, s.asAdmin("POST", "/api/custom/users/invite", `{"email":" Bob@Example.org","role":"operator"}`, 201))
	token := path.Base(made.Link)
	if made.Link != origin+"/invites/"+token || !strings.HasPrefix(token, "berth_in_") || s.count(`SELECT count(*) FROM invitations WHERE instr(mac, ?) > 0`, token[45:]) != 0 {
		t.Fatalf("made %+v", made)
	}
	if list := s.asAdmin("GET", "/api/custom/invites", "", 200).Body.String(); !strings.Contains(list, `"email":"bob@example.org"`) || strings.Contains(list, token) {
		t.Errorf("the list is %s", list)
	}
	accept := "/api/custom/invites/" + token + "/accept"
	w := s.do(call{method: "POST", path: accept, body: acceptBody})
	wantStatus(t, "accepting", w, 201, "")
	if u := decode[map[string]any](t, w); u["role"] != "operator" || u["email"] != "bob@example.org" {
		t.Errorf("the account is %v", u)
	}
	wantStatus(t, "accepting again", s.do(call{method: "POST", path: accept, body: acceptBody}), 404, "invitation.ended")
	wantStatus(t, "signing in", s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"bob@example.org","password":"` + password + `"}`}), 200, "")
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'invitation.accept' AND actor_name = 'bob@example.org' AND address = '192.0.2.1'`); n != 1 {
		t.Errorf("%d audit events of it", n)
	}
	s.asAdmin("POST", "/api/custom/users/invite", `{"email":"bob@example.org","role":"viewer"}`, 409)
}

// TestWhatIsNoInvitation is refused with the same words, whatever is wrong with it.
func TestWhatIsNoInvitation(t *testing.T) {
	for name, spoil := range map[string]func(s *stand, id, accept string) string{
		"revoked":  func(s *stand, id, a string) string { s.asAdmin("DELETE", "/api/custom/invites/"+id, "", 204); return a },
		"expired":  func(s *stand, _, a string) string { s.later(identity.InvitationLife); return a },
		"replaced": func(s *stand, _, a string) string { s.invited("bob@example.org", access.RoleViewer); return a },
		"another's code": func(s *stand, id, a string) string {
			s.exec(`UPDATE invitations SET mac = x'00' WHERE id = ?`, id)
			return a
		},
		"cut": func(_ *stand, _, a string) string {
			return strings.Replace(a, "/accept", "", 1)[:len(a)-20] + "/accept"
		},
		"none at all":     func(*stand, string, string) string { return "/api/custom/invites/x/accept" },
		"never made":      func(s *stand, id, a string) string { s.exec(`DELETE FROM invitations`); return a },
		"of another kind": func(_ *stand, _, a string) string { return strings.Replace(a, "berth_in_", "berth_pr_", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			s.found()
			id, accept := s.invited("bob@example.org", access.RoleAdmin)
			wantStatus(t, name, s.do(call{method: "POST", path: spoil(s, id, accept), body: acceptBody}), 404, "invitation.ended")
			if n := s.count(`SELECT count(*) FROM users`); n != 1 {
				t.Errorf("there are %d users", n)
			}
		})
	}
}

// TestOneAcceptsAnInvitation. (A6)
func TestOneAcceptsAnInvitation(t *testing.T) {
	s := newStand(t)
	s.found()
	_, accept := s.invited("bob@example.org", access.RoleViewer)
	statuses := make(chan int, 200)
	var tries sync.WaitGroup
	for i := range cap(statuses) {
		tries.Go(func() {
			statuses <- s.do(call{method: "POST", path: accept, body: acceptBody, client: fmt.Sprintf("198.51.100.%d", i)}).Code
		})
	}
	tries.Wait()
	close(statuses)
	got := map[int]int{}
	for status := range statuses {
		got[status]++
	}
	if got[201] != 1 || got[201]+got[404]+got[409]+got[429]+got[503] != 200 || s.count(`SELECT count(*) FROM users`) != 2 {
		t.Errorf("statuses %v, %d users", got, s.count(`SELECT count(*) FROM users`))
	}
}

func TestAResetFromItsMakingToItsEnd(t *testing.T) {
	s := newStand(t)
	s.found()
	u := s.user(access.RoleViewer)
	session := s.session(u)
	link := "/api/custom/resets/" + path.Base(decode[issuedLink](t, s.asAdmin("POST", "/api/custom/users/"+string(u.ID)+"/reset", "", 201)).Link)
	wantStatus(t, "the session before", s.do(call{method: "GET", path: "/api/custom/me", session: session}), 200, "")
	wantStatus(t, "a short one", s.do(call{method: "POST", path: link, body: `{"password":"short"}`}), 422, "user.invalid")
	wantStatus(t, "setting it", s.do(call{method: "POST", path: link, body: `{"password":"staple battery horse"}`}), 204, "")
	wantStatus(t, "the session afterwards", s.do(call{method: "GET", path: "/api/custom/me", session: session}), 401, "")
	wantStatus(t, "setting it again", s.do(call{method: "POST", path: link, body: `{"password":"staple battery horse"}`}), 404, "reset.ended")
	login := func(password string) int {
		return s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"` + u.Email + `","password":"` + password + `"}`}).Code
	}
	if old, fresh := login(password), login("staple battery horse"); old != 401 || fresh != 200 {
		t.Errorf("the old password gives %d, the new one %d", old, fresh)
	}
	s.asAdmin("POST", "/api/custom/users/usr_00000000000000000000000000/reset", "", 404)
	for name, spoil := range map[string]func(){
		"expired":  func() { s.later(identity.ResetLife) },
		"disabled": func() { s.asAdmin("PATCH", "/api/custom/users/"+string(u.ID), `{"disabled":true}`, 200) },
	} {
		s.asAdmin("PATCH", "/api/custom/users/"+string(u.ID), `{"disabled":false}`, 200)
		link := "/api/custom/resets/" + path.Base(decode[issuedLink](t, s.asAdmin("POST", "/api/custom/users/"+string(u.ID)+"/reset", "", 201)).Link)
		spoil()
		wantStatus(t, name, s.do(call{method: "POST", path: link, body: `{"password":"staple battery horse"}`}), 404, "reset.ended")
	}
}

// TestOnesOwnPassword: the old one is asked, and other sessions end. (A15-A19)
func TestOnesOwnPassword(t *testing.T) {
	s := newStand(t)
	s.found()
	u, other := s.user(access.RoleOperator), s.user(access.RoleOperator)
	mine, elsewhere, theirs := s.session(u), s.session(u), s.session(other)
	put := func(body string) call {
		return call{method: "PUT", path: "/api/custom/me/password", session: mine, body: body}
	}
	wantStatus(t, "a wrong old one", s.do(put(`{"password":"wrong","new_password":"staple battery horse"}`)), 422, "profile.invalid")
	wantStatus(t, "a short new one", s.do(put(`{"password":"`+password+`","new_password":"short"}`)), 422, "profile.invalid")
	wantStatus(t, "elsewhere until then", s.do(call{method: "GET", path: "/api/custom/me", session: elsewhere}), 200, "")
	wantStatus(t, "changing it", s.do(put(`{"password":"`+password+`","new_password":"staple battery horse"}`)), 204, "")
	for session, status := range map[string]int{mine: 200, elsewhere: 401, theirs: 200} {
		wantStatus(t, "a session", s.do(call{method: "GET", path: "/api/custom/me", session: session}), status, "")
	}
	for range 10 {
		s.do(put(`{"password":"wrong","new_password":"staple battery horse"}`))
	}
	wantStatus(t, "guessing from a session", s.do(put(`{"password":"staple battery horse","new_password":"`+password+`"}`)), 429, "auth.too_many")
	_, key := s.key(s.account(access.RoleAdmin), 0)
	wantStatus(t, "a program", s.do(call{method: "PUT", path: "/api/custom/me/password", key: key, body: `{}`}), 403, "profile.not_a_person")
}

func TestOnesOwnAddressDemandsThePassword(t *testing.T) {
	s := newStand(t)
	s.found()
	u := s.user(access.RoleViewer)
	session := s.session(u)
	patch := func(body string) call {
		return call{method: "PATCH", path: "/api/custom/me", session: session, body: body}
	}
	wantStatus(t, "without", s.do(patch(`{"email":"new@example.org"}`)), 422, "profile.invalid")
	wantStatus(t, "another's", s.do(patch(`{"email":"admin@example.org","password":"`+password+`"}`)), 409, "user.email_taken")
	wantStatus(t, "none", s.do(patch(`{"email":"nobody"}`)), 422, "profile.invalid")
	wantStatus(t, "with", s.do(patch(`{"email":"New@example.org","password":"`+password+`"}`)), 200, "")
	wantStatus(t, "a name", s.do(patch(`{"name":"Bob"}`)), 200, "")
	if me := decode[map[string]string](t, s.do(call{method: "GET", path: "/api/custom/me", session: session})); me["name"] != "new@example.org" {
		t.Errorf("me is %v", me)
	}
}

func TestOnesOwnSessions(t *testing.T) {
	s := newStand(t)
	s.found()
	u := s.user(access.RoleViewer)
	theirs := s.session(s.user(access.RoleViewer))
	login := s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"` + u.Email + `","password":"` + password + `"}`, header: http.Header{"User-Agent": {"Firefox/1"}}})
	first, second := cookieOf(t, login).Value, s.session(u)
	list := s.do(call{method: "GET", path: "/api/custom/me/sessions", session: second}).Body.String()
	firstID, _, _ := strings.Cut(first, ".")
	if strings.Count(list, `"id"`) != 2 || !strings.Contains(list, `"agent":"Firefox/1"`) || strings.Count(list, `"current":true`) != 1 || !strings.Contains(list, firstID) {
		t.Errorf("the list is %s", list)
	}
	id, _, _ := strings.Cut(theirs, ".")
	wantStatus(t, "ending another's", s.do(call{method: "DELETE", path: "/api/custom/me/sessions/" + id, session: second}), 404, "session.not_found")
	wantStatus(t, "ending one's own", s.do(call{method: "DELETE", path: "/api/custom/me/sessions/" + firstID, session: second}), 204, "")
	for session, status := range map[string]int{first: 401, second: 200, theirs: 200} {
		wantStatus(t, "a session", s.do(call{method: "GET", path: "/api/custom/me", session: session}), status, "")
	}
}

// TestLinksAreMadeAtAPace: whoever has an administrator's session cannot flood mailboxes with it.
func TestLinksAreMadeAtAPace(t *testing.T) {
	s := newStand(t)
	s.fixed = time.Now()
	session := s.session(s.found())
	refused := 0
	for i := range 60 {
		w := s.do(call{method: "POST", path: "/api/custom/users/invite", session: session, body: fmt.Sprintf(`{"email":"a%d@example.org","role":"viewer"}`, i)})
		if w.Code == 429 && w.Header().Get("Retry-After") != "" {
			refused++
		}
	}
	if refused != 10 {
		t.Errorf("%d of 60 were refused, want 10", refused)
	}
}
