package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/identity"
	"berth/core/seal"
	"berth/handlers"
	"berth/handlers/guard"
)

// may says which roles have a capability. It is written down once more here, on
// purpose: a change of core/access's matrix has to be meant.
var may = map[access.Capability][]access.Role{
	access.SignedIn:   {access.RoleViewer, access.RoleMonitoring, access.RoleOperator, access.RoleAdmin},
	access.Metrics:    {access.RoleMonitoring, access.RoleOperator, access.RoleAdmin},
	access.View:       {access.RoleViewer, access.RoleOperator, access.RoleAdmin},
	access.Operate:    {access.RoleOperator, access.RoleAdmin},
	access.Administer: {access.RoleAdmin},
}

// verdict is how the guard ends a request.
type verdict string

const (
	passes    verdict = "passes to the handler"
	stranger  verdict = "401"
	forbidden verdict = "403"
	signIn    verdict = "303 to the sign-in page"
)

// bearer is one kind of asker.
type bearer struct {
	session func(*stand) string // the cookie; nil: none
	key     func(*stand) string // the API key; nil: none
	role    access.Role         // of whoever the session proves; empty: it proves nothing
	keyRole access.Role         // of whoever the key proves; empty: it is not good
}

// expected is the whole rule about credentials, in the words of the HTTP contract.
func (b bearer) expected(r handlers.Route) verdict {
	open := r.Capability == access.Public
	switch r.Surface {
	case guard.Asset, guard.Probe, guard.Hook:
		return passes
	case guard.Page:
		if open {
			return passes
		}
		switch {
		case b.role == "" && r.Method == http.MethodPost && r.Pattern != "/logout":
			return stranger // in its place, so that what was typed is not lost
		case b.role == "":
			return signIn
		}
		return allow(r, b.role)
	}
	switch {
	case b.key != nil && b.keyRole == "":
		return stranger
	case open:
		return passes
	case b.key != nil:
		return allow(r, b.keyRole)
	case b.role == "" || r.Surface == guard.Scrape:
		return stranger
	}
	return allow(r, b.role)
}

func allow(r handlers.Route, role access.Role) verdict {
	if slices.Contains(may[r.Capability], role) {
		return passes
	}
	return forbidden
}

// bearers returns every kind of asker there is.
func bearers(s *stand) map[string]bearer {
	text := func(text string) func(*stand) string { return func(*stand) string { return text } }
	all := map[string]bearer{
		"nobody":                        {},
		"a key of another shape":        {key: text("secret")},
		"an empty key":                  {key: text(" ")},
		"a key that was never issued":   {key: text(seal.NewToken(seal.TokenAPIKey, core.NewID(core.PrefixAPIKey, time.Now())).Reveal())},
		"a worker token":                {key: text(seal.NewToken(seal.TokenWorker, core.NewID(core.PrefixWorkerToken, time.Now())).Reveal())},
		"an expired key":                {key: text(expiredKey(s))},
		"a revoked key":                 {key: text(revokedKey(s))},
		"a key of a disabled account":   {key: text(disabledKey(s))},
		"a key of a deleted account":    {key: text(orphanKey(s))},
		"a cookie of another shape":     {session: text("ses_x.y")},
		"a session that was never open": {session: text(core.NewID(core.PrefixSession, time.Now()) + "." + strings.Repeat("A", 43))},
		"an expired session":            {session: text(expiredSession(s))},
		"a session of a disabled user":  {session: text(disabledSession(s))},
		"a session with another's id":   {session: text(swappedSession(s))},
	}
	for _, role := range access.Roles {
		u, a := s.user(role), s.account(role)
		_, key := s.key(a, 0)
		session := func(s *stand) string { return s.session(u) }
		all["a user who is "+string(role)] = bearer{session: session, role: role}
		all["a service account that is "+string(role)] = bearer{key: text(key), keyRole: role}
		all["a user who is "+string(role)+" with a bad key"] = bearer{session: session, role: role, key: text("berth_sk_no")}
	}
	return all
}

func expiredKey(s *stand) string {
	key, text := s.key(s.account(access.RoleAdmin), time.Hour)
	s.exec(`UPDATE api_keys SET expires_at = ? WHERE id = ?`, s.now().Add(-time.Second).UnixMicro(), key.ID)
	return text
}

func revokedKey(s *stand) string {
	a := s.account(access.RoleAdmin)
	key, text := s.key(a, 0)
	s.must(s.store.DeleteAPIKey(s.t.Context(), access.System, a.ID, key.ID))
	return text
}

func disabledKey(s *stand) string {
	a := s.account(access.RoleAdmin)
	_, text := s.key(a, 0)
	yes := true
	_, err := s.store.ChangeServiceAccount(s.t.Context(), access.System, a.ID, identity.AccountChange{Disabled: &yes})
	s.must(err)
	return text
}

func orphanKey(s *stand) string {
	a := s.account(access.RoleAdmin)
	_, text := s.key(a, 0)
	s.must(s.store.DeleteServiceAccount(s.t.Context(), access.System, a.ID))
	return text
}

func expiredSession(s *stand) string {
	text := s.session(s.user(access.RoleAdmin))
	id, _, _ := strings.Cut(text, ".")
	s.exec(`UPDATE sessions SET expires_at = ? WHERE id = ?`, s.now().UnixMicro(), id)
	return text
}

// disabledSession keeps the row of a disabled user's session, as if ending it had failed.
func disabledSession(s *stand) string {
	u := s.user(access.RoleAdmin)
	text := s.session(u)
	s.exec(`UPDATE users SET disabled = 1 WHERE id = ?`, u.ID)
	return text
}

func swappedSession(s *stand) string {
	u := s.user(access.RoleAdmin)
	id, _, _ := strings.Cut(s.session(u), ".")
	_, secret, _ := strings.Cut(s.session(u), ".")
	return id + "." + secret
}

// TestEveryRouteWithEveryCredential walks the table: a new route is tested by being in it. (A1)
func TestEveryRouteWithEveryCredential(t *testing.T) {
	s := newStand(t)
	s.found()
	all, routes := bearers(s), handlers.Routes(s.deps)
	t.Logf("%d routes, each asked by %d kinds of askers", len(routes), len(all))
	for _, route := range routes {
		for name, b := range all {
			c := call{method: route.Method, path: absent(route.Pattern)}
			if route.Request != nil {
				c.body = "{}"
			}
			if b.session != nil {
				c.session = b.session(s)
			}
			if b.key != nil {
				c.key = b.key(s)
			}
			want := b.expected(route)
			before := s.writes()
			w := s.doBriefly(c, route.Streams)
			if got := verdictOf(w); got != want {
				t.Errorf("%s asks %s %s: it %s, want %s: %d %s", name, route.Method, route.Pattern, got, want, w.Code, w.Body)
			}
			if w.Code >= 500 {
				t.Errorf("%s asks %s %s: %d %s", name, route.Method, route.Pattern, w.Code, w.Body)
			}
			if (want != passes || route.Method == http.MethodGet) && s.writes() != before {
				t.Errorf("%s asks %s %s: something was written", name, route.Method, route.Pattern)
			}
		}
	}
}

// doBriefly plays a request; an answer that would go on for long is cut soon.
func (s *stand) doBriefly(c call, streams bool) *httptest.ResponseRecorder {
	if c.path == "/api/custom/events" { // nothing happens that would end it
		c.path += "?for=0s"
	}
	if streams {
		ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
		defer cancel()
		return s.doIn(ctx, c)
	}
	return s.do(c)
}

// verdictOf reads the guard's verdict from an answer. Handlers have 401 and 403 of their
// own, such as for a wrong password, so the code decides.
func verdictOf(w *httptest.ResponseRecorder) verdict {
	var p struct{ Code string }
	json.Unmarshal(w.Body.Bytes(), &p)
	switch {
	case w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login"):
		return signIn
	case w.Code == http.StatusUnauthorized && p.Code != "auth.failed":
		return stranger
	case w.Code == http.StatusForbidden && p.Code == "auth.forbidden":
		return forbidden
	}
	return passes
}

// TestDefaultDeny proves that the walk above would notice: what declares nothing is refused,
// and the walk's own rule grants nobody an unknown capability.
func TestDefaultDeny(t *testing.T) {
	for _, role := range access.Roles {
		if role.Can("new") || slices.Contains(may["new"], role) {
			t.Errorf("%s has a capability that nobody declared", role)
		}
	}
	for capability, roles := range may {
		for _, role := range access.Roles {
			if role.Can(capability) != slices.Contains(roles, role) {
				t.Errorf("%s and %s: core/access says %t", role, capability, role.Can(capability))
			}
		}
	}
}
