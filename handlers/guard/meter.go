package guard

import (
	"net/http"
	"time"

	"berth/core/fault"
)

// Meter counts what passes; *metrics.Own does.
type Meter interface {
	// Request counts a request to a route that was answered with status.
	Request(surface string, status int, took time.Duration)
	// AuthenticationFailed counts a credential that was shown and refused: "api_key", "session".
	AuthenticationFailed(kind string)
}

// noMeter counts nothing.
type noMeter struct{}

// Request implements Meter.
func (noMeter) Request(string, int, time.Duration) {}

// AuthenticationFailed implements Meter.
func (noMeter) AuthenticationFailed(string) {}

// measure counts the requests to one route.
func (g *Guard) measure(rule Rule, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := g.cfg.Clock()
		defer func() {
			status := http.StatusOK // what is sent for a handler that says nothing
			if a, known := w.(*answer); known && a.status != 0 {
				status = a.status
			}
			g.cfg.Meter.Request(string(rule.Surface), status, g.cfg.Clock().Sub(began))
		}()
		next.ServeHTTP(w, r)
	})
}

// refused counts err when it says that a credential of this kind is not good.
func (g *Guard) refused(kind string, err error) {
	if fault.Is(err, fault.Unauthenticated) {
		g.cfg.Meter.AuthenticationFailed(kind)
	}
}
