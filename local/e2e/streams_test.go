package e2e_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// streamsEnd: who is disabled, may no longer read, or loses the key, hears nothing more after two seconds. (A14)
func streamsEnd(t *testing.T, s *rig.Server) {
	account, reader := s.Account(access.RoleViewer), s.Account(access.RoleViewer)
	key, kept := s.IssueKey(account, time.Time{}), s.IssueKey(reader, time.Time{})
	disabled, lowered := s.Invited(access.RoleViewer), s.Invited(access.RoleOperator)
	user := func(p rig.Client) string {
		return "/api/custom/users/" + rig.Get[api.Me](p, "/api/custom/me").ID
	}
	toDisable, toLower := user(disabled), user(lowered)
	yes, monitoring := true, access.RoleMonitoring
	stays := openStream(t, s.Client.As(kept.Key))
	for name, c := range map[string]struct {
		reader rig.Client
		change func()
	}{
		"a user who is disabled":              {disabled, func() { rig.Patch[api.User](s.Client, toDisable, api.UserChange{Disabled: &yes}) }},
		"a user who may only scrape from now": {lowered, func() { rig.Patch[api.User](s.Client, toLower, api.UserChange{Role: &monitoring}) }},
		"a key that is revoked":               {s.Client.As(key.Key), func() { s.RevokeKey(account, key) }},
	} {
		ended := openStream(t, c.reader)
		c.change()
		changed := time.Now()
		select {
		case <-ended:
			t.Logf("%s: the stream ended after %v", name, time.Since(changed).Round(time.Millisecond))
		case <-time.After(2*time.Second + noise):
			t.Errorf("%s: the stream went on", name)
		}
	}
	select {
	case <-stays:
		t.Error("the stream of somebody else ended, too")
	default:
	}
}

// noise is what a busy machine may take longer than the product promises.
const noise = 3 * time.Second

// openStream reads the stream of events until it ends, and returns once it has begun.
func openStream(t *testing.T, c rig.Client) (ended <-chan struct{}) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/api/custom/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Key != "" {
		request.Header.Set("X-Service-Api-Key", c.Key)
	}
	response, err := (&http.Client{Jar: c.Jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("no stream: %d %s", response.StatusCode, kind)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer response.Body.Close()
		io.Copy(io.Discard, response.Body) // however it ends
	}()
	return done
}
