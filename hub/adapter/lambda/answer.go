package lambda

import (
	"bytes"
	"net/http"
	"sync"
)

// answer keeps what a handler writes until it has returned, by the rules of net/http: the first
// status counts, a header is what it was when the body began, and what may have no body has none.
type answer struct {
	method string
	header http.Header // the handler's
	sent   http.Header // as it was with the status; nil: no status yet
	status int         // 0: none yet
	body   *bytes.Buffer
}

// bodies are buffers that were used before: making one for each page costs more than filling it.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept is how large a buffer may be that is kept for the next answer, in bytes.
const maxKept = 1 << 20

func newAnswer(method string) *answer {
	return &answer{method: method, header: http.Header{}, body: bodies.Get().(*bytes.Buffer)}
}

// release gives a body back once nobody looks at it any more.
func release(body *bytes.Buffer) {
	if body != nil && body.Cap() <= maxKept {
		body.Reset()
		bodies.Put(body)
	}
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the first status that is final.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status, a.sent = status, a.header.Clone()
	}
}

// Write keeps content.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.hasBody() {
		return 0, http.ErrBodyNotAllowed
	}
	if a.method == http.MethodHead {
		a.sniff(p)
		return len(p), nil
	}
	if a.body.Len() == 0 {
		a.sniff(p)
	}
	return a.body.Write(p)
}

func (a *answer) hasBody() bool {
	return a.status != http.StatusNoContent && a.status != http.StatusNotModified
}

// sniff says what a body is whose handler did not; no host sends one without.
func (a *answer) sniff(p []byte) {
	if a.sent.Get("Content-Type") == "" && len(p) > 0 {
		a.sent.Set("Content-Type", http.DetectContentType(p))
	}
}

// instead returns an empty answer with what holds for every answer in its header. The old one
// must not be used any more.
func (a *answer) instead() *answer {
	a.body.Reset()
	next := &answer{method: a.method, header: a.header.Clone(), body: a.body}
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition", "Etag", "Last-Modified", "Location", "Set-Cookie"} {
		next.header.Del(name)
	}
	next.header.Set("Cache-Control", "no-store")
	return next
}

// encodedSize is how many bytes of an event the answer takes; any number up to limit when it is
// no more than that.
func (a *answer) encodedSize(limit int) int {
	n := 0
	if body := a.body.Bytes(); !fits(body, limit) {
		n = textSize(body)
	}
	for name, list := range a.header {
		for _, value := range list {
			n += len(name) + len(value)
		}
	}
	return n
}

// copyTo hands status and header to the adapter, which takes silence for a failure.
func (a *answer) copyTo(w http.ResponseWriter) {
	a.WriteHeader(http.StatusOK)
	to := w.Header()
	for name, list := range a.sent {
		switch name {
		case "Content-Length", "Transfer-Encoding", "Connection": // the host's
		default:
			to[name] = list
		}
	}
	if a.status == http.StatusNotModified {
		to.Del("Content-Type")
	}
	w.WriteHeader(a.status)
}
