package handlers_test

import (
	"strings"
	"testing"

	"berth/core/access"
)

// TestTheDataKeyIsChanged as the README says it, on pages; what is sealed opens before, meanwhile and afterwards.
func TestTheDataKeyIsChanged(t *testing.T) {
	s := newStand(t)
	admin := s.found()
	session := s.session(admin)
	_, key := s.key(s.account(access.RoleViewer), 0)
	if says := s.browse(session, "/keys").Body.String(); !strings.Contains(says, "In use") || strings.Contains(says, "looked at") {
		t.Error("before, there is one key and nothing to tell")
	}
	leadsTo(t, s.post(session, "/keys/rotate"), "/keys?said=key-added")
	says(t, s.browse(session, "/keys"), 200, "Values are being sealed anew", "Opens older values")
	says(t, s.post(session, "/keys/rotate"), 409, "still being sealed anew")
	if p := s.renew(); p.Key != 2 || p.Lost != 0 {
		t.Errorf("the pass is %+v", p)
	}
	says(t, s.browse(session, "/keys"), 200, "sealed anew with data key 2")
	wantStatus(t, "an API key of before", s.do(call{method: "GET", path: "/api/custom/stacks", key: key}), 200, "")
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'data_key.create' AND actor_id = ?`, admin.ID); n != 1 {
		t.Errorf("it is audited %d times", n)
	}
	s.exec(`INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, sealed, created_at, updated_at) VALUES ('var_lost', 'global', '', 'LOST', 1, 'internal', '', '', x'010000000100', 0, 0)`)
	leadsTo(t, s.post(session, "/keys/rotate"), "/keys?said=key-added")
	s.renew()
	says(t, s.browse(session, "/keys"), 200, "No key opens 1 value", "variables.sealed of var_lost")
}
