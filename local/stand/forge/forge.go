package forge

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is which Git host it is.
type Kind string

// The kinds.
const (
	GitHub Kind = "github"
	Gitea  Kind = "gitea"
	GitLab Kind = "gitlab"
)

// Repository is one that the account may see.
type Repository struct {
	Owner, Name string
	Default     string
	Private     bool
	Branches    []string
}

// Status is what the forge was told of a commit.
type Status struct{ Repository, Commit, State, Context, Target, Description string }

// Forge is a Git host with one account. What it is set up with is set before it serves; the other methods may be
// called at any time.
type Forge struct {
	Kind             Kind
	ClientID, Secret string
	Callback         string // the one that is registered, to the letter
	Account          string
	Organizations    []string
	Repositories     []Repository
	PageSize         int           // most items of a page, whatever is asked for; 0: 100
	TokenLife        time.Duration // 0: for ever
	Git              http.Handler  // serves repositories below /; nil: none are served
	// Instead, when set, answers in place of the forge; false: it has not.
	Instead func(w http.ResponseWriter, r *http.Request) bool

	Guest bool // tokens may read, and not write

	mu       sync.Mutex // guards what follows
	statuses []Status
	deny     string // the error that people are sent back with; empty: none
	scopes   string // granted; empty: all that were asked for
	codes    map[string]trip
	tokens   map[string]token
	refresh  map[string]string // of a token: its scopes
	asked    []string          // method and path of each request, in order
	skew     time.Duration
}

type trip struct{ redirect, challenge, scopes string }

type token struct {
	scopes  string
	expires time.Time // zero: never
}

// Deny makes people decline from now on, with an error of RFC 6749; empty: they agree again.
func (f *Forge) Deny(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deny = reason
}

// Grant makes tokens have these scopes, whatever was asked for.
func (f *Forge) Grant(scopes string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scopes = scopes
}

// Revoke ends every token, as a person does who revokes the app.
func (f *Forge) Revoke() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.tokens)
	clear(f.refresh)
}

// Later moves the forge's clock.
func (f *Forge) Later(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skew += d
}

// Tokens returns the tokens that are good, refresh tokens among them.
func (f *Forge) Tokens() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t := range f.tokens {
		all = append(all, t)
	}
	for t := range f.refresh {
		all = append(all, t)
	}
	return all
}

// Asked returns method and path of each request, in order.
func (f *Forge) Asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// ServeHTTP implements http.Handler.
func (f *Forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	f.mu.Unlock()
	if f.Instead != nil && f.Instead(w, r) {
		return
	}
	if f.Git != nil && strings.Contains(r.URL.Path, ".git/") {
		f.serveGit(w, r)
		return
	}
	f.mux().ServeHTTP(w, r)
}

// serveGit serves a repository to whoever shows a good token as password. All are below the owner's name.
func (f *Forge) serveGit(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if user == "" || !f.good(password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "a token is needed", http.StatusUnauthorized)
		return
	}
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	r = r.Clone(r.Context())
	r.URL.Path = "/" + path
	r.Header.Del("Authorization")
	f.Git.ServeHTTP(w, r)
}

func (f *Forge) good(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, known := f.tokens[text]
	return known && (t.expires.IsZero() || f.now().Before(t.expires))
}

func (f *Forge) now() time.Time { return time.Now().Add(f.skew) }

func secret(prefix string) string {
	random := make([]byte, 20)
	rand.Read(random)
	return prefix + hex.EncodeToString(random)
}
