package metrics

import (
	"strconv"
	"time"
)

// ownRequests are the families about HTTP, and about who asks.
type ownRequests struct{ ended, took, failures *vector }

func (r *ownRequests) declare(o *Own) {
	r.ended = o.declare(TypeCounter, "berth_http_requests_total", "HTTP requests, by surface and class of status.", []string{"surface", "code"})
	r.took = o.declare(TypeHistogram, "berth_http_request_duration_seconds", "Time that an HTTP request took, by surface.", []string{"surface"},
		0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
	r.failures = o.declare(TypeCounter, "berth_authentication_failures_total", "Credentials that were refused, by kind.", []string{"kind"})
	for _, kind := range []string{"api_key", "oidc", "password", "session", "webhook", "worker"} {
		r.failures.add(0, kind)
	}
}

// Request counts an HTTP request that was answered with status.
func (o *Own) Request(surface string, status int, took time.Duration) {
	o.requests.ended.add(1, surface, strconv.Itoa(status/100)+"xx")
	o.requests.took.observe(took.Seconds(), surface)
}

// AuthenticationFailed counts a refused credential: "session", "api_key", "password" (codes of the second factor too), "bootstrap_token", "oidc", "webhook", "worker".
func (o *Own) AuthenticationFailed(kind string) { o.requests.failures.add(1, kind) }
