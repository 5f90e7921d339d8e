package vaultstand

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"berth/local/stand/faultyhttp"
)

// Server is the stand-in; it is an http.Handler by its Switch.
type Server struct {
	faultyhttp.Switch

	mu     sync.Mutex
	mounts map[string]Mount     // by path, without a slash at the end
	kept   map[string][]version // by mount + "/" + path
	tokens map[string]*Token
}

// Mount is a secrets engine.
type Mount struct {
	Type    string // "kv"
	Version string // of a kv: "1" or "2"
}

// Token says what the holder of a token may do.
type Token struct {
	TTL       time.Duration // of a new lease; 0: it does not end
	Renewable bool
	Refused   []string // beginnings of paths below /v1/ that it may not ask for
	Ended     bool     // expired or revoked
	Renewed   int      // how often it was
}

// version is one version of a secret.
type version struct {
	data               map[string]any
	deleted, destroyed bool
	at                 time.Time
}

// New returns a server with a store of version 2 mounted at kv, and no token.
func New() *Server {
	s := &Server{mounts: map[string]Mount{"kv": {"kv", "2"}}, kept: map[string][]version{}, tokens: map[string]*Token{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/auth/token/lookup-self", s.known(s.lookup))
	routes.HandleFunc("PUT /v1/auth/token/renew-self", s.known(s.renew))
	routes.HandleFunc("GET /v1/sys/internal/ui/mounts", s.known(s.listMounts))
	routes.HandleFunc("GET /v1/sys/internal/ui/mounts/{mount...}", s.known(s.oneMount))
	routes.HandleFunc("GET /v1/{path...}", s.known(s.read))
	s.Handler = routes
	return s
}

// Mount mounts a secrets engine.
func (s *Server) Mount(path string, m Mount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mounts[path] = m
}

// Issue makes a token valid.
func (s *Server) Issue(token string, t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = &t
}

// Change changes what the holder of a token may do.
func (s *Server) Change(token string, change func(*Token)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.tokens[token])
}

// Put stores a new version of a secret.
func (s *Server) Put(mount, path string, data map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[mount+"/"+path] = append(s.kept[mount+"/"+path], version{data: data, at: time.Now()})
}

// Delete deletes the newest version of a secret; it could be undeleted.
func (s *Server) Delete(mount, path string) { s.last(mount, path).deleted = true }

// Destroy destroys the newest version of a secret.
func (s *Server) Destroy(mount, path string) {
	v := s.last(mount, path)
	v.destroyed, v.data = true, nil
}

// last is used by one test at a time.
func (s *Server) last(mount, path string) *version {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.kept[mount+"/"+path]
	return &versions[len(versions)-1]
}

// known refuses requests without a token that is valid and may ask for this.
func (s *Server) known(handle func(http.ResponseWriter, *http.Request, *Token)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		token := s.tokens[r.Header.Get("X-Vault-Token")]
		if token == nil || token.Ended {
			refuse(w, http.StatusForbidden, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n")
			return
		}
		for _, path := range token.Refused {
			if strings.HasPrefix(strings.TrimPrefix(r.URL.Path, "/v1/"), path) {
				refuse(w, http.StatusForbidden, "1 error occurred:\n\t* permission denied\n\n")
				return
			}
		}
		handle(w, r, token)
	}
}
