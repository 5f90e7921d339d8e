package managerstand

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"berth/local/stand/faultyhttp"
)

// Server is the stand-in; it is an http.Handler by its Switch. Its exported fields are set before it serves.
type Server struct {
	faultyhttp.Switch
	TTL      time.Duration // of an access token; 0: a month
	MaxTTL   time.Duration // renewals included; 0: no bound
	PageSize int           // answers lists in pages with a total; 0: whole, as servers of today do
	Forbids  bool          // says 403 "TokenError" of a token that has ended, as some versions do, and not 401

	mu       sync.Mutex
	clients  map[string]string // secret by ID
	tokens   map[string]session
	issued   int
	projects map[string]Project
	secrets  map[string][]Secret // by project/environment/path
	imports  map[string][]string // places that a place imports, by the same
	refused  map[string]bool     // projects that the identity may not read
}

type session struct{ began, ends time.Time }

// Project is a project and its environments.
type Project struct {
	Name         string
	Environments []string // their slugs
}

// Secret is one secret of a folder.
type Secret struct {
	Name   string
	Value  any    // a text, as a rule
	Type   string // "": shared
	Hidden bool   // the identity may see that it is there, and no more
}

// New returns a server with no client and no project.
func New() *Server {
	s := &Server{clients: map[string]string{}, tokens: map[string]session{}, projects: map[string]Project{}, secrets: map[string][]Secret{},
		imports: map[string][]string{}, refused: map[string]bool{}}
	s.Handler = s.routes(false)
	return s
}

// Old makes it a server of before: with /api/v3/secrets/raw and workspaces.
func (s *Server) Old() { s.Handler = s.routes(true) }

// Identity makes a client ID and its secret valid.
func (s *Server) Identity(id, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[id] = secret
}

// Project makes a project.
func (s *Server) Project(id string, p Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects[id] = p
}

// Refuse lets nobody read a project any more.
func (s *Server) Refuse(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[project] = true
}

// Revoke ends every access token.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// Put stores a secret in a folder, in place of one of the same name and type; path has no slash at its ends.
func (s *Server) Put(project, environment, path string, secret Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place(project, environment, path)
	for i, there := range s.secrets[at] {
		if there.Name == secret.Name && there.Type == secret.Type {
			s.secrets[at][i] = secret
			return
		}
	}
	s.secrets[at] = append(s.secrets[at], secret)
}

// Double stores a secret beside one of the same name.
func (s *Server) Double(project, environment, path string, secret Secret) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place(project, environment, path)
	s.secrets[at] = append(s.secrets[at], secret)
}

// Import makes a folder import another; the later import wins.
func (s *Server) Import(project, environment, path, from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place(project, environment, path)
	s.imports[at] = append(s.imports[at], place(project, environment, from))
}

func place(project, environment, path string) string {
	return project + "/" + environment + "/" + strings.Trim(path, "/")
}

// issue makes an access token; began is when its first one was.
func (s *Server) issue(began time.Time) object {
	s.issued++
	ttl := s.TTL
	if ttl == 0 {
		ttl = 30 * 24 * time.Hour
	}
	ends := time.Now().Add(ttl)
	if s.MaxTTL > 0 && ends.After(began.Add(s.MaxTTL)) {
		ends = began.Add(s.MaxTTL)
	}
	token := fmt.Sprint("canary-access-token-", s.issued)
	s.tokens[token] = session{began, ends}
	return object{"accessToken": token, "expiresIn": int(time.Until(ends).Seconds()), "accessTokenMaxTTL": int(s.MaxTTL.Seconds()), "tokenType": "Bearer"}
}

// known refuses requests without an access token that is valid.
func (s *Server) known(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		session, found := s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		switch {
		case found && time.Now().Before(session.ends):
			handle(w, r)
		case s.Forbids:
			refuse(w, http.StatusForbidden, "TokenError", "Your token has expired. Please re-authenticate.")
		default:
			refuse(w, http.StatusUnauthorized, "UnauthorizedError", "Token missing")
		}
	}
}
