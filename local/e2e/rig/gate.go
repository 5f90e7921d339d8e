package rig

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Gate stands between somebody and what they call, and can hold a call: before it is passed
// on, or after it was answered and before they hear of it. So a test can look at the very
// moment that it wants.
type Gate struct {
	inner http.Handler

	mu   sync.Mutex
	hold *Hold // guarded by mu; nil: all calls pass
}

// Hold is a call that is waited for, then held until it is released. It holds one call.
type Hold struct {
	matches func(*http.Request) bool
	after   bool

	Held     chan struct{} // closed when the call is there
	released chan struct{}
	release  sync.Once
	dropped  bool // set before released is closed
}

// Hold holds the next call that matches. The test ends it with Release.
func (g *Gate) Hold(after bool, matches func(*http.Request) bool) *Hold {
	h := &Hold{matches: matches, after: after, Held: make(chan struct{}), released: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hold = h
	return h
}

// Release lets the call go on. It may be called again.
func (h *Hold) Release() { h.release.Do(func() { close(h.released) }) }

// Drop ends a call whose caller has gone: what was not passed on yet never is. After Release it
// does nothing.
func (h *Hold) Drop() {
	h.release.Do(func() {
		h.dropped = true
		close(h.released)
	})
}

// caught returns the hold of a call, once.
func (g *Gate) caught(r *http.Request) *Hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.hold
	if h == nil || !h.matches(r) {
		return nil
	}
	g.hold = nil
	return h
}

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := g.caught(r)
	if h == nil {
		g.inner.ServeHTTP(w, r)
		return
	}
	if !h.after {
		close(h.Held)
		<-h.released
		if h.dropped {
			panic(http.ErrAbortHandler)
		}
		g.inner.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	g.inner.ServeHTTP(answer, r)
	close(h.Held)
	<-h.released
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes()) // a caller that has gone does not want it
}

// GateOf is a gate in front of a handler.
func GateOf(inner http.Handler) *Gate { return &Gate{inner: inner} }

// DockerGate is a gate in front of this machine's container engine, and the DOCKER_HOST by which it is
// reached. It ends with the test.
func DockerGate(t testing.TB) (*Gate, string) {
	t.Helper()
	network, address := "unix", "/var/run/docker.sock"
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		network, address, _ = strings.Cut(host, "://")
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", "docker"
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) }}
	dir, err := os.MkdirTemp("", "gate") // shorter than the test's own: the path of a socket holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	g := GateOf(proxy)
	server := &http.Server{Handler: g}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
		transport.CloseIdleConnections()
		os.RemoveAll(dir)
	})
	return g, "unix://" + socket
}
