package guard

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

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
		id := endpoint.RequestID(r.Context()) // a function host has one of its own
		if id == "" {
			id = newRequestID()
		}
		ctx := endpoint.WithReporter(endpoint.WithRequestID(r.Context(), id), g.reporter)
		if g.cfg.Room > 0 {
			ctx = endpoint.WithRoom(ctx, g.cfg.Room)
		}
		r = r.WithContext(endpoint.WithPrincipal(ctx, g.stranger(r)))
		g.setHeaders(w.Header(), id)
		answer := newAnswer(w)
		began := g.cfg.Clock()
		defer func() {
			cut := g.recovered(answer, r, recover())
			if !cut {
				answer.end()
			}
			g.tell(r, id, answer, began)
			if cut {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(answer, r)
	})
}

// tell writes the access log.
func (g *Guard) tell(r *http.Request, id string, answer *answer, began time.Time) {
	if !g.cfg.Log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	g.cfg.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("request_id", id), slog.String("method", r.Method),
		// The pattern rather than the path: a path may hold an invitation.
		slog.String("route", r.Pattern), slog.Int("status", answer.status), slog.Int64("bytes", answer.bytes),
		slog.Duration("took", g.cfg.Clock().Sub(began)), slog.String("address", endpoint.Principal(r.Context()).Address))
}

// newRequestID returns the name of a request in the log: no other has it, and it needs no secret.
func newRequestID() string {
	return strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

// maxAgent is how much of what a program calls itself is kept, in bytes.
const maxAgent = 200

// stranger is whoever sent r, before any credential was looked at.
func (g *Guard) stranger(r *http.Request) access.Principal {
	p := access.Anonymous(clientAddress(r, g.cfg.TrustedProxies))
	agent := r.UserAgent()
	p.Agent = strings.ToValidUTF8(agent[:min(len(agent), maxAgent)], "")
	return p
}

// recovered turns a panic into an answer and a log line with the stack. What was
// panicked with is logged only when the runtime made it: anything else may hold a secret.
// It reports whether the connection must be cut because half an answer is on its way,
// which the client must not take for a whole one.
func (g *Guard) recovered(answer *answer, r *http.Request, cause any) (cut bool) {
	if cause == nil || cause == http.ErrAbortHandler {
		return cause != nil
	}
	text := fmt.Sprintf("a value of type %T", cause)
	if known, ok := cause.(runtime.Error); ok {
		text = known.Error()
	}
	g.cfg.Log.ErrorContext(r.Context(), "handler panicked", "request_id", endpoint.RequestID(r.Context()),
		"route", r.Pattern, "panic", text, "stack", string(debug.Stack()))
	if answer.Began() {
		return true
	}
	endpoint.Fail(answer, r, fmt.Errorf("handler panicked with %s", text))
	return false
}

// fixed are the headers that are the same on every answer. Whoever adds to one gets a list of their own: these are full.
var fixed = http.Header{
	"Content-Security-Policy":    {contentPolicy},
	"X-Content-Type-Options":     {"nosniff"},
	"X-Frame-Options":            {"DENY"},
	"Referrer-Policy":            {"same-origin"},
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"Cache-Control":              {"no-store"},
}

// setHeaders sets what holds for every answer; a handler may replace Cache-Control.
func (g *Guard) setHeaders(h http.Header, id string) {
	maps.Copy(h, fixed)
	h.Set("X-Request-Id", id)
	if g.secure() {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
