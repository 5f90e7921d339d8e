package guard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// tally writes down what it is told.
type tally struct{ told []string }

func (l *tally) Request(surface string, status int, took time.Duration) {
	if took < 0 {
		l.told = append(l.told, "negative time")
	}
	l.told = append(l.told, fmt.Sprintf("%s %d", surface, status))
}

func (l *tally) AuthenticationFailed(kind string) { l.told = append(l.told, "refused "+kind) }

func TestRequestsAndRefusedCredentialsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*http.Request)
		want    []string
	}{
		"a good key":     {func(r *http.Request) { r.Header.Set(guard.KeyHeader, "good key") }, []string{"api 204"}},
		"a bad key":      {func(r *http.Request) { r.Header.Set(guard.KeyHeader, "bad") }, []string{"refused api_key", "api 401"}},
		"a dead session": {func(r *http.Request) { r.AddCookie(&http.Cookie{Name: endpoint.SessionCookie, Value: "dead"}) }, []string{"refused session", "api 401"}},
		"no credential":  {func(*http.Request) {}, []string{"api 401"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &tally{}
			cfg := config("http://berth.test")
			cfg.Meter = l
			h := protect(t, cfg, guard.Rule{Capability: access.View, Surface: guard.API}, endpoint.Handle(func(w http.ResponseWriter, _ *http.Request) error {
				return endpoint.NoContent(w)
			}))
			r := httptest.NewRequest(http.MethodGet, "http://berth.test/", nil)
			c.prepare(r)
			h.ServeHTTP(httptest.NewRecorder(), r)
			if !slices.Equal(l.told, c.want) {
				t.Errorf("counted %q, want %q", l.told, c.want)
			}
		})
	}
}
