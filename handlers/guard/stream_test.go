package guard_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// changing answers with what is in it now.
type changing struct {
	principal atomic.Pointer[access.Principal]
	err       atomic.Pointer[error]
}

func (c *changing) BySession(context.Context, string) (access.Principal, error) {
	if err := c.err.Load(); err != nil {
		return access.Principal{}, *err
	}
	return *c.principal.Load(), nil
}

func (c *changing) ByAPIKey(ctx context.Context, text, address string) (access.Principal, error) {
	return c.BySession(ctx, text)
}

// TestAStreamEndsWithTheRightToIt. (A14)
func TestAStreamEndsWithTheRightToIt(t *testing.T) {
	ended, away := error(fault.New(fault.Unauthenticated, "auth.session_ended", "x")), error(errors.New("the database is busy"))
	viewer, monitoring := operator, operator
	viewer.Role, monitoring.Role = access.RoleViewer, access.RoleMonitoring
	for name, c := range map[string]struct {
		header [2]string
		change func(*changing)
		ends   bool
	}{
		"the session ends":           {[2]string{"Cookie", endpoint.SessionCookie + "=x"}, func(d *changing) { d.err.Store(&ended) }, true},
		"the key is revoked":         {[2]string{guard.KeyHeader, "x"}, func(d *changing) { d.err.Store(&ended) }, true},
		"the role no longer may":     {[2]string{guard.KeyHeader, "x"}, func(d *changing) { d.principal.Store(&monitoring) }, true},
		"the role still may":         {[2]string{guard.KeyHeader, "x"}, func(d *changing) { d.principal.Store(&viewer) }, false},
		"nothing happens":            {[2]string{guard.KeyHeader, "x"}, func(*changing) {}, false},
		"it cannot be told just now": {[2]string{guard.KeyHeader, "x"}, func(d *changing) { d.err.Store(&away) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &changing{}
				d.principal.Store(&operator)
				cfg := config("http://berth.test")
				cfg.Doorkeeper = d
				rule := guard.Rule{Capability: access.View, Surface: guard.API, Streams: true}
				var lasted time.Duration
				h := protect(t, cfg, rule, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					began := time.Now()
					c.change(d)
					select {
					case <-r.Context().Done():
					case <-time.After(time.Hour):
					}
					lasted = time.Since(began)
				}))
				play(h, request("GET", "/", c.header[0], c.header[1]))
				if c.ends && lasted > 2*time.Second || !c.ends && lasted != time.Hour {
					t.Errorf("the stream lasted %v", lasted)
				}
			})
		})
	}
}
