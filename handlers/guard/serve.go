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
	paceTime  = 30 * time.Second // within which a body of any size must have brought pacePiece bytes more, or its end
	pacePiece = 64 << 10
)

// serve runs the handler within the rule's bounds.
func (g *Guard) serve(rule Rule, next http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = rule.bounded(w, r.Body)
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

// bounded is a body within the rule's bounds of size and time.
func (rule Rule) bounded(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	control := http.NewResponseController(w)
	switch rule.BodyLimit {
	case AnyBody:
		return &timedBody{ReadCloser: body, control: control, within: paceTime, piece: pacePiece}
	case 0:
		return &timedBody{ReadCloser: http.MaxBytesReader(w, body, endpoint.MaxBody), control: control, within: bodyTime}
	}
	return &timedBody{ReadCloser: http.MaxBytesReader(w, body, rule.BodyLimit), control: control, within: bodyTime}
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
		p, err := g.identify(ctx, rule, r)
		if ctx.Err() == nil && fault.Is(err, fault.Unauthenticated) || err == nil && authorise(rule, p) != nil {
			cancel()
			return
		}
	}
}

// timedBody gives a client a time to send its body: reading must not hold a handler
// for as long as somebody likes to drip bytes.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	within  time.Duration // from the first Read on, and again after each piece
	piece   int           // bytes; 0: there is one time for all of it
	came    int           // bytes of this piece
	began   bool
}

// Read reads from the body; the time starts with the first call.
func (b *timedBody) Read(p []byte) (int, error) {
	if !b.began || b.piece > 0 && b.came >= b.piece {
		b.began, b.came = true, 0
		b.control.SetReadDeadline(time.Now().Add(b.within)) // where there is no connection, there is no need
	}
	n, err := b.ReadCloser.Read(p)
	b.came += n
	if err != nil {
		b.control.SetReadDeadline(time.Time{}) // what follows the body may take long
	}
	return n, err
}
