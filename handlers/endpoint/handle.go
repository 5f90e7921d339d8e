package endpoint

import (
	"context"
	"net/http"

	"berth/core/access"
)

// Func handles a request or says why not. It writes either an answer or nothing: once
// an error is returned, Handle writes the answer.
type Func func(w http.ResponseWriter, r *http.Request) error

// Handle makes fn a handler whose error is rendered and logged by Fail.
func Handle(fn Func) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := fn(w, r); err != nil {
			Fail(w, r, err)
		}
	})
}

type contextKey int

const (
	principalKey contextKey = iota
	requestIDKey
	reporterKey
	roomKey
)

// WithPrincipal returns a context that says who asks. Only handlers/guard and tests call it.
func WithPrincipal(ctx context.Context, p access.Principal) context.Context {
	return context.WithValue(ctx, principalKey, p)
}

// Principal returns who asks; an anonymous principal when nobody said.
func Principal(ctx context.Context) access.Principal {
	if p, found := ctx.Value(principalKey).(access.Principal); found {
		return p
	}
	return access.Anonymous("")
}

// WithRequestID returns a context that carries the request's id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

// RequestID returns the id under which the log has this request; empty outside one.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}
