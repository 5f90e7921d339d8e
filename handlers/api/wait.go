package api

import (
	"context"
	"net/http"
	"time"

	"berth/handlers/endpoint"
)

// The pause between two looks at what is waited for is a twentieth of the time waited so
// far, within these bounds: the answer comes at most that much late.
const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 500 * time.Millisecond
)

// held returns v, as look sees it, once it has ended or the time is up: that of the request's ?wait=,
// or what the host leaves of it.
func held[T any](w http.ResponseWriter, r *http.Request, v T, ended func(T) bool, look func(context.Context) (T, error)) (T, error) {
	wait, err := endpoint.WaitOf(r)
	if err != nil || wait == 0 || ended(v) {
		return v, err
	}
	return awaitEnd(r.Context(), v, ended, look, endpoint.WaitWithin(w, r, wait))
}

// awaitEnd looks until v has ended or the time is up.
func awaitEnd[T any](ctx context.Context, v T, ended func(T) bool, look func(context.Context) (T, error), wait time.Duration) (T, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for began := time.Now(); !ended(v); {
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-deadline.C:
			return v, nil
		case <-time.After(min(max(time.Since(began)/20, shortestPause), longestPause)):
		}
		current, err := look(ctx)
		if err != nil {
			return v, err
		}
		v = current
	}
	return v, nil
}
