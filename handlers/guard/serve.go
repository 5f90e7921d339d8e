package guard

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

const (
	bodyTime  = 10 * time.Second // within which a bounded body must have arrived
	watchTime = time.Second      // between two looks at the right to a stream
)

// serve runs the handler within the rule's bounds.
func (g *Guard) serve(rule Rule, next http.Handler, w http.ResponseWriter, r *http.Request) {
	if rule.BodyLimit != AnyBody && r.Body != nil && r.Body != http.NoBody {
		limit := rule.BodyLimit
		if limit == 0 {
			limit = endpoint.MaxBody
		}
		r.Body = &timedBody{ReadCloser: http.MaxBytesReader(w, r.Body, limit), control: http.NewResponseController(w)}
	}
	if !rule.Streams {
		next.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	var watch sync.WaitGroup
	watch.Go(func() { g.watch(ctx, cancel, rule, r) })
	defer watch.Wait()
	defer cancel()
	next.ServeHTTP(w, r.WithContext(ctx))
}

// watch cancels once the credential of r no longer permits what rule demands. A
// credential that cannot be judged just now, because the database is busy, keeps its right.
func (g *Guard) watch(ctx context.Context, cancel context.CancelFunc, rule Rule, r *http.Request) {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p, err := g.identify(rule, r.WithContext(ctx))
		if ctx.Err() == nil && fault.Is(err, fault.Unauthenticated) || err == nil && authorise(rule, p) != nil {
			cancel()
			return
		}
	}
}

// timedBody gives a client bodyTime to send its body: reading must not hold a handler
// for as long as somebody likes to drip bytes.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	began   bool
}

// Read reads from the body; the time starts with the first call.
func (b *timedBody) Read(p []byte) (int, error) {
	if !b.began {
		b.began = true
		b.control.SetReadDeadline(time.Now().Add(bodyTime)) // where there is no connection, there is no need
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.control.SetReadDeadline(time.Time{}) // what follows the body may take long
	}
	return n, err
}
