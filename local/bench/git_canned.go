package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"berth/local/stand/githost"
)

// cannedHost serves one repository under any name, each answer of Git's own server being kept and given
// again: so that a thousand repositories cost the host no processes.
type cannedHost struct {
	inner  *githost.Host
	as     string // path of the repository on inner
	url    string
	server *http.Server
	served chan error

	mu      sync.Mutex
	answers map[string]*httptest.ResponseRecorder // guarded by mu
	looks   map[string]seen                       // by path; guarded by mu
}

// seen is when a repository was looked at.
type seen struct {
	times   int
	last    time.Time
	longest time.Duration // between two looks
}

func (b *bench) serveCanned(repository string) (*cannedHost, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &cannedHost{inner: b.git.Host, as: b.git.Path(repository), url: "http://" + listener.Addr().String(), served: make(chan error, 1),
		answers: map[string]*httptest.ResponseRecorder{}, looks: map[string]seen{}}
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { h.served <- h.server.Serve(listener) }()
	return h, nil
}

func (h *cannedHost) close() error {
	err := h.server.Close()
	if served := <-h.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// ServeHTTP implements http.Handler.
func (h *cannedHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	name, rest, found := strings.Cut(r.URL.Path, ".git/")
	if err != nil || !found {
		http.NotFound(w, r)
		return
	}
	if rest == "info/refs" {
		h.look(name)
	}
	answer := h.answer(r, rest, body)
	for key, values := range answer.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes()) // whoever has gone does not want it
}

// look notes that a repository is being looked at.
func (h *cannedHost) look(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, now := h.looks[name], time.Now()
	if !s.last.IsZero() {
		s.longest = max(s.longest, now.Sub(s.last))
	}
	h.looks[name] = seen{s.times + 1, now, s.longest}
}

// answer is what Git's own server says. While the first of a kind is found out, the others wait.
func (h *cannedHost) answer(r *http.Request, rest string, body []byte) *httptest.ResponseRecorder {
	key := strings.Join([]string{r.Method, rest, r.URL.RawQuery, r.Header.Get("Git-Protocol"), string(body)}, "\x00")
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.answers[key]; known != nil {
		return known
	}
	ask := r.Clone(context.WithoutCancel(r.Context()))
	ask.URL.Path, ask.Body = h.as+"/"+rest, io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	h.inner.ServeHTTP(answer, ask)
	h.answers[key] = answer
	return answer
}

// begin forgets the looks so far.
func (h *cannedHost) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.looks)
}

// looked returns how many looks there were at how many repositories, and the longest pause between two at one,
// that between the last one and now included.
func (h *cannedHost) looked() (looks, repositories int, longest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for _, s := range h.looks {
		looks += s.times
		longest = max(longest, s.longest, now.Sub(s.last))
	}
	return looks, len(h.looks), longest
}
