package handlers_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/handlers/guard"
)

// TestAScraperMaySendTheHeaderLineAsCredentials proves both ways of SPEC §4 to hand a key over: they
// answer alike, on every path, for every key.
func TestAScraperMaySendTheHeaderLineAsCredentials(t *testing.T) {
	s := newStand(t)
	s.found()
	good := s.keyOf(access.RoleMonitoring)
	keys := map[string]struct {
		key    string
		status int
	}{
		"of a monitor":       {good, http.StatusOK},
		"of an operator":     {s.keyOf(access.RoleOperator), http.StatusOK},
		"of a viewer":        {s.keyOf(access.RoleViewer), http.StatusForbidden},
		"that was revoked":   {s.revoked(), http.StatusUnauthorized},
		"that has expired":   {s.expired(), http.StatusUnauthorized},
		"that is mistyped":   {good[:len(good)-1], http.StatusUnauthorized},
		"that is a worker's": {s.workerToken(), http.StatusUnauthorized},
	}
	absent := "/api/custom/workers/" + core.NewID(core.PrefixWorker, time.Now()) + "/metrics"
	for _, path := range []string{"/metrics", "/api/custom/metrics", "/api/custom/metrics/targets", absent} {
		for name, c := range keys {
			want := c.status
			if want == http.StatusOK && path == absent {
				want = http.StatusNotFound // past the guard: there is no such worker
			}
			line := guard.KeyHeader + ": " + c.key
			for shape, ask := range map[string]call{
				"the header":         {key: c.key},
				"Prometheus's type":  {authorization: "Bearer " + line},
				"a type of its own":  {authorization: "ApiKey " + line},
				"no type":            {authorization: line},
				"nothing but spaces": {authorization: "  " + line + "  "},
			} {
				ask.method, ask.path = http.MethodGet, path
				if w := s.do(ask); w.Code != want {
					t.Errorf("%s, a key %s as %s: %d, want %d: %s", path, name, shape, w.Code, want, w.Body)
				}
			}
			if w := s.do(call{method: http.MethodGet, path: path, authorization: "Bearer " + c.key}); w.Code != http.StatusUnauthorized {
				t.Errorf("%s, a bare key %s: %d", path, name, w.Code)
			}
		}
	}
}

// revoked returns a key that was good until just now.
func (s *stand) revoked() string {
	s.t.Helper()
	a := s.account(access.RoleMonitoring)
	key, text := s.key(a, 0)
	if w := s.do(call{method: http.MethodGet, path: "/metrics", key: text}); w.Code != http.StatusOK {
		s.t.Fatalf("the key that is to be revoked: %d", w.Code)
	}
	s.asAdmin(http.MethodDelete, "/api/custom/service-accounts/"+string(a.ID)+"/keys/"+string(key.ID), "", http.StatusNoContent)
	return text
}

// expired returns a key that was good until an hour ago.
func (s *stand) expired() string {
	s.t.Helper()
	_, text := s.key(s.account(access.RoleMonitoring), time.Hour)
	s.later(2 * time.Hour)
	return text
}

// workerToken returns a token that is no API key.
func (s *stand) workerToken() string {
	s.t.Helper()
	var issued struct{ Token string }
	s.must(json.Unmarshal(s.asAdmin(http.MethodPost, "/api/custom/workers/tokens", "{}", http.StatusCreated).Body.Bytes(), &issued))
	return issued.Token
}
