package handlers_test

import (
	"testing"
	"time"

	"berth/core/access"
)

// D9: a clock that is put back by a day locks nobody out and opens nothing that had ended; one that is put a year ahead
// ends what has a time, and nothing else.
func TestATurnedClockMovesSessionsAndKeysByTheirRules(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	account := s.account(access.RoleViewer)
	_, brief := s.key(account, time.Hour)
	_, lasting := s.key(account, 0)
	answers := func(when string, want map[string]int) {
		t.Helper()
		for who, c := range map[string]call{"session": {session: session}, "brief": {key: brief}, "lasting": {key: lasting}} {
			c.method, c.path = "GET", "/api/custom/me"
			if w := s.do(c); w.Code != want[who] {
				t.Errorf("%s, what is %s gives %d %s, want %d", when, who, w.Code, w.Body, want[who])
			}
		}
		w := s.do(call{method: "POST", path: "/api/custom/login", body: `{"email":"admin@example.org","password":"` + password + `"}`})
		if w.Code != 200 {
			t.Errorf("%s, signing in gives %d %s", when, w.Code, w.Body)
		}
	}
	answers("at first", map[string]int{"session": 200, "brief": 200, "lasting": 200})
	s.later(-24 * time.Hour)
	answers("a day back", map[string]int{"session": 200, "brief": 200, "lasting": 200})
	s.later(366 * 24 * time.Hour)
	answers("a year ahead", map[string]int{"session": 401, "brief": 401, "lasting": 200})
}
