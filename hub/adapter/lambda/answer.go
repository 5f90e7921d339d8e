package lambda

import (
	"bytes"
	"net/http"
)

// answer keeps what a handler writes until it has returned, by the rules of net/http: the first
// status counts, a header is what it was when the body began, and what may have no body has none.
type answer struct {
	method string
	header http.Header // the handler's
	sent   http.Header // as it was with the status; nil: no status yet
	status int         // 0: none yet
	body   bytes.Buffer
}

func newAnswer(method string) *answer { return &answer{method: method, header: http.Header{}} }

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

// instead returns an empty answer with what holds for every answer in its header.
func (a *answer) instead() *answer {
	next := newAnswer(a.method)
	next.header = a.header.Clone()
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition", "Etag", "Last-Modified", "Location", "Set-Cookie"} {
		next.header.Del(name)
	}
	next.header.Set("Cache-Control", "no-store")
	return next
}

// encodedSize is how many bytes of an event the answer takes.
func (a *answer) encodedSize() int {
	n := textSize(a.body.Bytes())
	for name, list := range a.header {
		for _, value := range list {
			n += len(name) + len(value)
		}
	}
	return n
}

// copyTo hands the answer to the adapter, which takes silence for a failure.
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
	if a.body.Len() > 0 {
		w.Write(a.body.Bytes())
	}
}
