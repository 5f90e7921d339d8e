package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/identity"
)

func TestWhatARoleDoesNotPermitIsNoted(t *testing.T) {
	s := newStand(t)
	s.found()
	s.deps.Guard.Refusals = identity.NewRefusals(s.store, s.now)
	s.build()
	account := s.account(access.RoleViewer)
	_, key := s.key(account, 0)
	for range 9 {
		s.do(call{method: http.MethodPost, path: "/api/custom/stacks", key: key, body: `{}`})
		s.do(call{method: http.MethodGet, path: "/api/custom/users", key: key})
		s.do(call{method: http.MethodPost, path: "/api/custom/stacks", key: "berth_sk_none", body: `{}`})
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE result = 'refused'`); n != 5 {
		t.Errorf("%d refusals are noted, want 5 of one thing and none of reading or of nobody", n)
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'request.send' AND actor_id = ? AND resource = '' AND detail LIKE 'POST /api/custom/stacks: the role "viewer" does not permit it%'`, string(account.ID)); n != 5 {
		t.Errorf("%d name who tried what", n)
	}
}

// TestARefusalNamesTheThingThatWasMeant, and the audit shows what it is called and leads there.
func TestARefusalNamesTheThingThatWasMeant(t *testing.T) {
	s := newStand(t)
	admin := s.session(s.found())
	_, page := s.madeStack(admin)
	stack := strings.TrimPrefix(page, "/stacks/")
	s.deps.Guard.Refusals = identity.NewRefusals(s.store, s.now)
	s.build()
	viewer := s.session(s.user(access.RoleViewer))
	s.do(call{method: http.MethodPatch, path: "/api/custom/stacks/" + stack, session: viewer, body: `{}`})
	s.submit(viewer, page+"/sync", url.Values{})
	for i := range 9 { // what is no identifier is whatever somebody sends, and not kept
		s.do(call{method: http.MethodPatch, path: fmt.Sprintf("/api/custom/stacks/made-up-%d", i), session: viewer, body: `{}`})
	}
	for detail, resource := range map[string]string{"PATCH /api/custom/stacks/{id}: %": stack, "POST /stacks/{id}/sync: %": stack} {
		if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'request.send' AND resource = ? AND detail LIKE ?`, resource, detail); n != 1 {
			t.Errorf("%s of %s is noted %d times", detail, resource, n)
		}
	}
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'request.send' AND resource = ''`); n != 4 { // at the pace of one thing, whatever is made up
		t.Errorf("of what there is not, %d are noted", n)
	}
	says(t, s.browse(admin, "/audit-events?action=request.send&resource="+stack), 200, `<a href="`+page+`"><bdi>web</bdi></a> <code>`+stack+`</code>`, "PATCH /api/custom/stacks/{id}: the role")
}

// TestWrongProofsAreNoted: the bootstrap token, the present password and the code of a new second factor.
func TestWrongProofsAreNoted(t *testing.T) {
	s := newStand(t)
	s.do(call{method: "POST", path: "/api/custom/setup", body: `{"bootstrap_token":"wrong","email":"a@b.example","password":"` + password + `","name":"A"}`})
	u := s.found()
	session := s.session(u)
	for _, c := range []call{
		{method: "PUT", path: "/api/custom/me/password", body: `{"password":"wrong","new_password":"staple battery horse"}`},
		{method: "PATCH", path: "/api/custom/me", body: `{"email":"z@example.org","password":"wrong"}`},
		{method: "PUT", path: "/api/custom/me/second-factor", body: `{"secret":"` + strings.Repeat("A", 32) + `","code":"000000","password":"` + password + `"}`},
		{method: "PATCH", path: "/api/custom/users/" + string(u.ID), body: `{"role":"viewer"}`},
		{method: "DELETE", path: "/api/custom/users/" + string(u.ID)},
	} {
		c.session = session
		if w := s.do(c); w.Code != 422 && w.Code != 409 {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	for action, detail := range map[string]string{"setup.complete": "the bootstrap token is wrong", "profile.password": "the present password is wrong", "profile.change": "the present password is wrong",
		"second_factor.create": "the code of the new second factor is wrong", "user.change": "the last administrator stays one", "user.delete": "the last administrator stays"} {
		if n := s.count(`SELECT count(*) FROM audit_events WHERE result = 'refused' AND action = ? AND detail = ? AND address <> ''`, action, detail); n != 1 {
			t.Errorf("%s is noted %d times", action, n)
		}
	}
}
