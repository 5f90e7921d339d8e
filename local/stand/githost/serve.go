package githost

import (
	"log/slog"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strings"
)

// ServeHTTP serves the repositories for reading.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repo, _, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
	if !found || !validName.MatchString(repo) {
		http.NotFound(w, r)
		return
	}
	user, password, _ := r.BasicAuth()
	if !h.allows(repo, user, password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "sign in with the repository's user and password", http.StatusUnauthorized)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-r.Context().Done():
		return
	}
	h.backend(w, r)
}

// backend hands the request to git http-backend, which lives as long as the request.
func (h *Host) backend(w http.ResponseWriter, r *http.Request) {
	git, err := exec.LookPath("git")
	if err != nil {
		http.Error(w, "the git command is missing", http.StatusInternalServerError)
		return
	}
	root, err := filepath.Abs(h.dir)
	if err != nil {
		http.Error(w, "the folder of the Git host cannot be found", http.StatusInternalServerError)
		return
	}
	logger := slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug)
	handler := cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Dir: root, Logger: logger, Stderr: logger.Writer(),
		Env: append(environment(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_PROTOCOL="+r.Header.Get("Git-Protocol")),
	}
	handler.ServeHTTP(w, r)
}
