package handlers_test

import (
	"net/http"
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
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'request.send' AND actor_id = ? AND resource = 'POST /api/custom/stacks'`, string(account.ID)); n != 5 {
		t.Errorf("%d name who tried what", n)
	}
}
