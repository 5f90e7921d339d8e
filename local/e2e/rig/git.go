package rig

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"berth/local/stand/githost"
)

// Git is a Git host over HTTP that can be made to be away.
type Git struct {
	*githost.Host
	URL string

	mu   sync.Mutex
	away map[string]bool // by repository; guarded by mu
}

func startGit(t testing.TB) *Git {
	t.Helper()
	g := &Git{Host: githost.New(t.TempDir()), away: map[string]bool{}}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

// ServeHTTP cuts the connections of those who ask for what is away.
func (g *Git) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	away := false
	for repository := range g.away {
		away = away || len(r.URL.Path) > len(repository) && r.URL.Path[1:1+len(repository)] == repository
	}
	g.mu.Unlock()
	if away {
		panic(http.ErrAbortHandler)
	}
	g.Host.ServeHTTP(w, r)
}

// SetAway takes a repository away, or brings it back.
func (g *Git) SetAway(repository string, away bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !away {
		delete(g.away, repository)
		return
	}
	g.away[repository] = true
}
