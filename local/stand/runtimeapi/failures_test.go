package runtimeapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/local/stand/faultynet"
	"berth/local/stand/gateway"
	"berth/local/stand/pgserver"
	"berth/local/stand/runtimeapi"
)

// TestAnEventOfAnotherFormIsAFailureInWords, told to the host and logged, and the instance lives.
func TestAnEventOfAnotherFormIsAFailureInWords(t *testing.T) {
	s := newSite(t)
	h := s.function(config.EventHTTPv2, patient)
	other := s.client(config.EventALB, h)
	_, _, err := other.try("GET", "/version", "")
	failure := runtimeapi.FailureOf(err)
	if failure == nil || failure.Kind != "error" || !strings.Contains(failure.Text, "set BERTH_EVENT=alb") {
		t.Errorf("an event of a load balancer fails as %v", err)
	}
	waitUntil(t, "a line in the log", func() bool {
		return strings.Contains(h.Log(), `"level":"ERROR"`) && strings.Contains(h.Log(), "BERTH_EVENT is http-api-v2")
	})
	s.client(config.EventHTTPv2, h).ask(200, "GET", "/healthz", "")
	if h.Starts() != 1 {
		t.Errorf("%d instances were started", h.Starts())
	}
}

// TestASecondInstanceGoesOnWhereOneWasKilled: nothing is lost but the request under way.
func TestASecondInstanceGoesOnWhereOneWasKilled(t *testing.T) {
	s := newSite(t)
	through := faultynet.New(t, pgserver.Shared(t).Address())
	s.address = swapHost(t, s.address, through.Address())
	h := s.function(config.EventRESTv1, patient)
	c := s.client(config.EventRESTv1, h)
	c.found()
	h.Kill() // at rest
	c.ask(200, "GET", "/api/custom/me", "")
	through.Hold(faultynet.Up, true)
	handed := h.Handed()
	failed := make(chan error, 1)
	go func() {
		_, err := h.Invoke(context.Background(), c.event("GET", "/api/custom/me"))
		failed <- err
	}()
	waitUntil(t, "a request that waits for the database", func() bool { return h.Handed() > handed })
	h.Kill() // in the middle of a request
	if failure := runtimeapi.FailureOf(<-failed); failure == nil || failure.Kind != "exit" || !strings.Contains(failure.Text, "killed") {
		t.Errorf("the request under way failed as %v", failure)
	}
	through.Hold(faultynet.Up, false)
	c.ask(200, "GET", "/api/custom/me", "")
	if h.Starts() < 3 {
		t.Errorf("%d instances were started", h.Starts())
	}
}

// TestADatabaseThatHangsIsToldBeforeTheHostGivesUp, cold and warm, and is forgiven.
func TestADatabaseThatHangsIsToldBeforeTheHostGivesUp(t *testing.T) {
	s := newSite(t)
	through := faultynet.New(t, pgserver.Shared(t).Address())
	s.address = swapHost(t, s.address, through.Address())
	h := s.function(config.EventFunctionURL, time.Minute)
	c := s.client(config.EventFunctionURL, h)
	through.Hold(faultynet.Up, true)
	s.saysAway(t, c, "cold")
	through.Hold(faultynet.Up, false)
	c.ask(200, "GET", "/readyz", "")
	through.Hold(faultynet.Up, true)
	s.saysAway(t, c, "warm")
	through.Hold(faultynet.Up, false)
	c.ask(200, "GET", "/readyz", "")
	if h.Starts() != 1 {
		t.Errorf("%d instances were started", h.Starts())
	}
}

// saysAway demands an answer that says that the database is not to be had.
func (s *site) saysAway(t *testing.T, c *client, when string) {
	t.Helper()
	answer, text := c.ask(503, "GET", "/readyz", "")
	if answer.Header.Get("Retry-After") == "" || !strings.Contains(text, `"code":"`) || !strings.Contains(text, `"request_id":"request-1"`) {
		t.Errorf("%s: a database that hangs is answered %v %s", when, answer.Header, text)
	}
}

// TestAnInstanceOutlivesItsConnections: the host stops it between requests for as long as it likes.
func TestAnInstanceOutlivesItsConnections(t *testing.T) {
	s := newSite(t)
	h := s.function(config.EventALB, patient)
	c := s.client(config.EventALB, h)
	c.found()
	for range 3 {
		if err := pgserver.Shared(t).Exec("postgres", `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '`+s.database+`'`); err != nil {
			t.Fatal(err)
		}
		c.ask(200, "GET", "/api/custom/me", "")
	}
	if h.Starts() != 1 {
		t.Errorf("%d instances were started", h.Starts())
	}
}

// TestWhatIsTooLargeIsRefusedInWords: a request by the route, an answer by its size, and what the host does not even pass on.
func TestWhatIsTooLargeIsRefusedInWords(t *testing.T) {
	s := newSite(t)
	for _, form := range []config.EventForm{config.EventHTTPv2, config.EventALB} {
		h := s.function(form, patient)
		c := s.client(form, h)
		if form == config.EventHTTPv2 {
			c.ask(201, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrap+`","email":"admin@example.org","password":"`+password+`","name":"Ada"}`)
			for i := range 7 { // seven megabytes in one scope
				if err := pgserver.Shared(t).Exec(s.database, fmt.Sprintf(`INSERT INTO variables (id, scope, scope_id, name, value, secret, provider, reference, created_at, updated_at) VALUES ('var_%026d', 'global', '', 'V%d', repeat('x', 1048576), 0, '', '', 0, 0)`, i, i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		c.signIn()
		if _, text := c.ask(413, "POST", "/api/custom/repositories", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`); !strings.Contains(text, `"request.too_large"`) {
			t.Errorf("%s: a large request is told %s", form, text)
		}
		answer, text := c.ask(413, "GET", "/api/custom/variables/export?scope=global", "")
		if !strings.Contains(text, `"answer.too_large"`) || !strings.Contains(text, "Ask for less") || answer.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: a large answer is told %v %s", form, answer.Header, text)
		}
		_, _, err := c.try("POST", "/api/custom/repositories", strings.Repeat("x", 7<<20))
		if failure := runtimeapi.FailureOf(err); failure == nil || failure.Kind != "too large" {
			t.Errorf("%s: an event beyond the host's limit ends as %v", form, err)
		}
		c.ask(200, "GET", "/api/custom/me", "")
		if h.Starts() != 1 {
			t.Errorf("%s: %d instances were started", form, h.Starts())
		}
	}
}

// TestAFunctionThatCannotWorkSaysWhatToDo: an environment that is none ends it, and what the
// hub has yet to do, or has done with another key, is answered.
func TestAFunctionThatCannotWorkSaysWhatToDo(t *testing.T) {
	s := newSite(t)
	bare, err := runtimeapi.Open(runtimeapi.Options{Program: program, Timeout: patient})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	_, err = bare.Invoke(t.Context(), s.client(config.EventALB, bare).event("GET", "/"))
	if failure := runtimeapi.FailureOf(err); failure == nil || !strings.Contains(failure.Text, "78") || !strings.Contains(bare.Log(), "BERTH_EVENT: is not set") || !strings.Contains(bare.Log(), "DATABASE_URL: is not set") {
		t.Errorf("without configuration it ends as %v:\n%s", err, bare.Log())
	}
	for name, c := range map[string]struct{ address, says string }{
		"a certificate that is not there": {"postgres://berth:canary@db.test/berth?sslrootcert=/var/task/rds.pem", "the file that sslrootcert names does not exist here"},
		"a password that is not encoded":  {"postgres://berth:12/canary@db.test/berth", "percent-encoded: / as %2F"},
		"an open door":                    {"postgres://berth:canary@db.test/berth?sslmode=prefer", "Use sslmode=verify-full"},
	} {
		h := s.function(config.EventALB, patient, "DATABASE_URL="+c.address)
		_, err := h.Invoke(t.Context(), s.client(config.EventALB, h).event("GET", "/"))
		if failure := runtimeapi.FailureOf(err); failure == nil || !strings.Contains(failure.Text, "78") || !strings.Contains(h.Log(), c.says) || strings.Contains(h.Log(), "canary") {
			t.Errorf("%s: it ends as %v:\n%s", name, err, h.Log())
		}
	}
	server := pgserver.Shared(t)
	empty := server.TCP(server.Database(t, "template0"))
	other := newSite(t).key
	for name, c := range map[string]struct{ env, code string }{
		"an empty database":  {"DATABASE_URL=" + empty, "store.older"},
		"another SECRET_KEY": {"SECRET_KEY=" + other, "key.wrong"},
		"no database":        {"DATABASE_URL=postgres://berth:secret-password@127.0.0.1:1/berth", "store.away"},
	} {
		h := s.function(config.EventALB, patient, c.env)
		answer, text := s.client(config.EventALB, h).ask(503, "GET", "/readyz", "")
		if !strings.Contains(text, `"`+c.code+`"`) || answer.Header.Get("X-Request-Id") == "" || strings.Contains(text+h.Log(), "secret-password") || strings.Contains(text+h.Log(), "SECRET_KEY_PREVIOUS") {
			t.Errorf("%s: %s\n%s", name, text, h.Log())
		}
	}
}

// event is an event of this client's gateway.
func (c *client) event(method, path string) []byte {
	c.t.Helper()
	r, err := http.NewRequest(method, origin+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Cookie", c.cookie)
	event, err := (&gateway.Gateway{Form: c.gateway.Form}).Event(r)
	if err != nil {
		c.t.Fatal(err)
	}
	return event
}

// swapHost puts another host into an address.
func swapHost(t *testing.T, address, host string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = host
	return u.String()
}

// waitUntil waits for a condition.
func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(errors.New("there never was " + what))
		}
	}
}
