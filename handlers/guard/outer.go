package guard

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// contentPolicy lets pages load what this server serves and nothing else, and nobody frame them.
const contentPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// Outer wraps the whole server. Inside it a request has an id, an anonymous principal with the
// client's address, and somewhere to report failures.
func (g *Guard) Outer(next http.Handler) http.Handler {
	next = g.cors(g.cross.Handler(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		ctx := endpoint.WithReporter(endpoint.WithRequestID(r.Context(), id), g.reporter)
		r = r.WithContext(endpoint.WithPrincipal(ctx, access.Anonymous(clientAddress(r, g.cfg.TrustedProxies))))
		g.setHeaders(w.Header(), id)
		answer := &answer{ResponseWriter: w}
		began := g.cfg.Clock()
		defer func() {
			g.recovered(answer, r, recover())
			g.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("request_id", id), slog.String("method", r.Method),
				// The pattern rather than the path: a path may hold an invitation.
				slog.String("route", r.Pattern), slog.Int("status", answer.status), slog.Int64("bytes", answer.bytes),
				slog.Duration("took", g.cfg.Clock().Sub(began)), slog.String("address", endpoint.Principal(r.Context()).Address))
		}()
		next.ServeHTTP(answer, r)
	})
}

// recovered turns a panic into an answer and a log line with the stack. What was
// panicked with is logged only when the runtime made it: anything else may hold a secret.
func (g *Guard) recovered(answer *answer, r *http.Request, cause any) {
	if cause == nil {
		return
	}
	text := fmt.Sprintf("a value of type %T", cause)
	if known, ok := cause.(runtime.Error); ok {
		text = known.Error()
	}
	g.cfg.Log.ErrorContext(r.Context(), "handler panicked", "request_id", endpoint.RequestID(r.Context()),
		"route", r.Pattern, "panic", text, "stack", string(debug.Stack()))
	if answer.Began() {
		panic(http.ErrAbortHandler) // cut the connection: the client must not take half an answer for a whole one
	}
	endpoint.Fail(answer, r, fmt.Errorf("handler panicked with %s", text))
}

// setHeaders sets what holds for every answer; a handler may replace Cache-Control.
func (g *Guard) setHeaders(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if g.secure() {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// answer remembers what was answered. http.ResponseController sees through it.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap returns the writer underneath, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Began reports whether the status was sent already.
func (a *answer) Began() bool { return a.status != 0 }

// WriteHeader sends the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends content, and status 200 first when none was sent.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}
