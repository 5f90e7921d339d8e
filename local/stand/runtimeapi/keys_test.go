package runtimeapi_test

import (
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/config"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/postgres"
)

// TestAFunctionGoesThroughAChangeOfKeys: with both keys it opens what either has sealed, before and after the hub
// has changed over, and who signed in before stays so.
func TestAFunctionGoesThroughAChangeOfKeys(t *testing.T) {
	s := newSite(t)
	old, fresh := "SECRET_KEY_PREVIOUS="+s.key, newSite(t).key
	both := s.client(config.EventALB, s.function(config.EventALB, patient, "SECRET_KEY="+fresh, old))
	both.found()
	s.rewrap(fresh)
	both.ask(200, "GET", "/api/custom/me", "")
	for name, more := range map[string][]string{"with both keys": {"SECRET_KEY=" + fresh, old}, "with the new one alone": {"SECRET_KEY=" + fresh}} {
		c := s.client(config.EventALB, s.function(config.EventALB, patient, more...))
		c.cookie = both.cookie
		if _, text := c.ask(200, "GET", "/api/custom/me", ""); !strings.Contains(text, "admin@example.org") {
			t.Errorf("a new instance %s: %s", name, text)
		}
	}
	if _, text := s.client(config.EventALB, s.function(config.EventALB, patient)).ask(503, "GET", "/readyz", ""); !strings.Contains(text, `"key.wrong"`) {
		t.Errorf("a new instance with the old one alone: %s", text)
	}
}

// rewrap is what a hub does that starts with another SECRET_KEY and the old one as SECRET_KEY_PREVIOUS.
func (s *site) rewrap(fresh string) {
	s.t.Helper()
	check := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	previous, err := seal.ParseSecretKey(s.key)
	check(err)
	key, err := seal.ParseSecretKey(fresh)
	check(err)
	db, err := postgres.Open(s.t.Context(), s.address, postgres.Server())
	check(err)
	defer db.Close()
	kept := store.New(db, time.Now)
	rows, err := kept.KeyRing(s.t.Context())
	check(err)
	ring, rewrapped, err := seal.Unlock(key, previous, rows)
	check(err)
	check(kept.SaveKeyRing(s.t.Context(), rows, rewrapped, ring.SealCheck(), access.System.Audit("key_ring.rewrap", "", "")))
}
