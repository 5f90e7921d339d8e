package main

import (
	"context"
	"net/http"
	"sync"

	"berth/handlers/endpoint"
)

// opening is the handlers, opened with the first request that needs them: an instance that is
// started for nothing opens nothing, and one whose database was away at its first request tries
// again with the next, where ending would only make the host start another.
type opening struct {
	open   func(ctx context.Context) (http.Handler, error)
	refuse func(w http.ResponseWriter, r *http.Request, err error)

	mu     sync.Mutex
	opened http.Handler // guarded by mu; nil: not yet
}

// ServeHTTP passes r on, or says why that cannot be done now.
func (o *opening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, err := o.handler(r.Context())
	if err != nil {
		w.Header().Set("X-Request-Id", endpoint.RequestID(r.Context()))
		w.Header().Set("Cache-Control", "no-store")
		o.refuse(w, r, err)
		return
	}
	handler.ServeHTTP(w, r)
}

// handler opens the handlers unless they are.
func (o *opening) handler(ctx context.Context) (http.Handler, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.opened != nil {
		return o.opened, nil
	}
	handler, err := o.open(ctx)
	if err == nil {
		o.opened = handler
	}
	return handler, err
}
