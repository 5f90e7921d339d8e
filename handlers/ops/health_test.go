package ops_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/handlers/ops"
)

// pinger is a store that answers with itself, or not at all, and may have no room.
type pinger struct {
	err  error
	full bool
}

func (p pinger) Room() bool { return !p.full }

var errNever = errors.New("never")

func (p pinger) Ping(ctx context.Context) error {
	if p.err == errNever {
		<-ctx.Done()
		return ctx.Err()
	}
	return p.err
}

func TestHealth(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.Handler
		status  int
		body    string
	}{
		"alive":                 {ops.Health(), 200, `{"status":"ok"}`},
		"ready":                 {ops.Ready(pinger{}), 200, `{"status":"ok"}`},
		"the store is away":     {ops.Ready(pinger{err: errors.New("disk /data/secret")}), 503, `"code":"server.not_ready"`},
		"the store never comes": {ops.Ready(pinger{err: errNever}), 503, `"code":"server.not_ready"`},
		"no room is left":       {ops.Ready(pinger{full: true}), 503, `"code":"server.not_ready"`},
		"version":               {ops.Version("1.2.3"), 200, `{"version":"1.2.3"}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				w := httptest.NewRecorder()
				c.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
				if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) || strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "disk") {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
