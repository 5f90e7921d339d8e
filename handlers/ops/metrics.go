package ops

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/metrics"
	"berth/handlers/endpoint"
)

// firstByte is how long a scrape may wait for the hub before it is told that the hub is away:
// less than the patience of any scraper.
const firstByte = 2 * time.Second

var errHubAway = fault.New(fault.Unavailable, "hub.away",
	"The hub does not answer. It holds the metrics: there is nothing to scrape until it does.")

// Metrics answers with the metrics of the server and of every worker.
func Metrics(source metrics.Source) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return expose(w, r, source.All)
	})
}

// WorkerMetrics answers with the metrics of one worker.
func WorkerMetrics(source metrics.Source) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("id")
		if !core.ValidID(core.PrefixWorker, id) {
			return fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")
		}
		return expose(w, r, func(ctx context.Context, f metrics.Format, to io.Writer) error {
			return source.Worker(ctx, core.WorkerID(id), f, to)
		})
	})
}

// expose passes an exposition on as it comes. An error before the first byte is an answer; after
// it, the connection is cut, so that no scraper takes half an answer for a whole one.
func expose(w http.ResponseWriter, r *http.Request, write func(context.Context, metrics.Format, io.Writer) error) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	patience := time.AfterFunc(firstByte, func() { cancel(errHubAway) })
	defer patience.Stop()
	format := formatFor(r.Header)
	out := &exposition{to: w, format: format, begin: patience.Stop}
	err := write(ctx, format, out)
	switch {
	case err == nil && !out.began:
		return errHubAway
	case err == nil || out.began && r.Context().Err() != nil: // the scraper has gone
		return nil
	case out.began:
		cut(w)
	case context.Cause(ctx) == error(errHubAway):
		return errHubAway
	}
	return err
}

// exposition is an answer that has no header until there is something to say.
type exposition struct {
	to     http.ResponseWriter
	format metrics.Format
	begin  func() bool
	began  bool
	size   int // of the whole, in bytes; 0: it is not known
}

// Size implements metrics.Sized.
func (e *exposition) Size(bytes int) { e.size = bytes }

// Write sends content.
func (e *exposition) Write(p []byte) (int, error) {
	e.start(p)
	return e.to.Write(p)
}

// start sets the header of an answer that begins like this, once.
func (e *exposition) start(p []byte) {
	if e.began {
		return
	}
	e.began = true
	e.begin()
	header := e.to.Header()
	header.Set("Content-Type", e.format.ContentType())
	header.Add("Vary", "Accept, Accept-Encoding")
	if metrics.Compressed(p) {
		header.Set("Content-Encoding", "gzip")
	}
	if e.size > 0 {
		header.Set("Content-Length", strconv.Itoa(e.size))
	}
}

// cut makes everything that is still to be written fail. Where the host gives no
// connection there is nothing to cut.
func cut(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}
