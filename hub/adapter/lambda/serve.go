package lambda

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"berth/core/fault"
)

// ServeHTTP is what the adapter calls with the request that it made.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := r.Context().Value(factsKey{}).(*facts)
	ctx, cancel := h.limited(r.Context())
	defer cancel()
	if h.options.WithRequestID != nil && f.id != "" {
		ctx = h.options.WithRequestID(ctx, f.id)
	}
	r, err := f.request(r.WithContext(ctx))
	a := newAnswer(r.Method)
	switch {
	case err != nil:
		h.options.Fail(a, r, fault.New(fault.Malformed, "request.address", "The address of the request cannot be read.").Because(err))
	case f.size > h.size.event:
		r.Body = tooLarge{int64(h.size.event)}
		h.handle(a, r)
	default:
		h.handle(a, r)
	}
	if over := a.encodedSize(h.size.event); over > h.size.event {
		a = a.instead()
		h.options.Fail(a, r, h.size.refuse(r.Method, over))
	}
	a.copyTo(w)
	f.body = a.body
}

// handle runs the handler. One that panics must not take the process along, which would answer
// nothing and start anew: nothing was sent yet, so any answer is still possible.
func (h *Handler) handle(a *answer, r *http.Request) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause != http.ErrAbortHandler { // with which the guard ends a panic that it has told of
			h.options.Log.ErrorContext(r.Context(), "handler panicked", "panic", fmt.Sprintf("a value of type %T", cause), "stack", string(debug.Stack()))
		}
		*a = *a.instead()
		h.options.Fail(a, r, fmt.Errorf("handler panicked"))
	}()
	h.options.Handler.ServeHTTP(a, r)
}

// limited returns a context that ends in time for an answer to be sent before the host gives
// up: a tenth of what is left before that, at most lastWords.
func (h *Handler) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	now := time.Now()
	deadline, limited := ctx.Deadline()
	if longest := now.Add(h.size.longest); h.size.longest > 0 && (!limited || longest.Before(deadline)) {
		deadline, limited = longest, true
	}
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(lastWords, deadline.Sub(now)/10)))
}

const lastWords = time.Second

// tooLarge is the body of a request that is larger than the host passes on.
type tooLarge struct{ limit int64 }

// Read implements io.Reader.
func (t tooLarge) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: t.limit} }

// Close implements io.Closer.
func (t tooLarge) Close() error { return nil }
