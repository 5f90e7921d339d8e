package managerstand

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object.
type object map[string]any

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever does not listen any more needs no answer
}

func refuse(w http.ResponseWriter, status int, name, message string) {
	answer(w, status, object{"reqId": "req-1", "statusCode": status, "error": name, "message": message})
}

func (s *Server) routes(old bool) http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("POST /api/v1/auth/universal-auth/login", s.login)
	routes.HandleFunc("POST /api/v1/auth/token/renew", s.renew)
	routes.HandleFunc("GET /api/v1/folders", s.known(s.listFolders))
	if old {
		routes.HandleFunc("GET /api/v3/secrets/raw", s.known(s.listSecrets("workspaceId")))
		routes.HandleFunc("GET /api/v1/workspace", s.known(s.listProjects("workspaces")))
		routes.HandleFunc("GET /api/v1/workspace/{id}", s.known(s.oneProject("workspace")))
	} else {
		routes.HandleFunc("GET /api/v4/secrets", s.known(s.listSecrets("projectId")))
		routes.HandleFunc("GET /api/v1/projects", s.known(s.listProjects("projects")))
		routes.HandleFunc("GET /api/v1/projects/{id}", s.known(s.oneProject("project")))
	}
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusNotFound, object{"statusCode": 404, "error": "Not Found", "message": "Route " + r.Method + ":" + r.URL.RequestURI() + " not found"})
	})
	return routes
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var asked struct{ ClientID, ClientSecret string }
	_ = json.NewDecoder(r.Body).Decode(&asked) // what cannot be read is no identity
	s.mu.Lock()
	defer s.mu.Unlock()
	if secret, found := s.clients[asked.ClientID]; !found || secret != asked.ClientSecret {
		refuse(w, http.StatusUnauthorized, "UnauthorizedError", "Invalid credentials")
		return
	}
	answer(w, http.StatusOK, s.issue(time.Now()))
}

func (s *Server) renew(w http.ResponseWriter, r *http.Request) {
	var asked struct{ AccessToken string }
	_ = json.NewDecoder(r.Body).Decode(&asked) // as of login
	s.mu.Lock()
	defer s.mu.Unlock()
	held, found := s.tokens[asked.AccessToken]
	if !found || time.Now().After(held.ends) || s.MaxTTL > 0 && time.Now().After(held.began.Add(s.MaxTTL-time.Second)) {
		refuse(w, http.StatusUnauthorized, "UnauthorizedError", "Failed to renew MI access token due to Max TTL expiration")
		return
	}
	answer(w, http.StatusOK, s.issue(held.began))
}

// asked returns the place that a request is about, or answers it.
func (s *Server) asked(w http.ResponseWriter, r *http.Request, project, path string) (at string, ok bool) {
	q := r.URL.Query()
	id, environment := q.Get(project), q.Get("environment")
	p, found := s.projects[id]
	at = place(id, environment, q.Get(path))
	switch {
	case id == "" || environment == "":
		refuse(w, http.StatusBadRequest, "BadRequest", "Missing project id or environment")
	case !found:
		refuse(w, http.StatusNotFound, "NotFound", "Project with ID '"+id+"' not found")
	case s.refused[id]:
		refuse(w, http.StatusForbidden, "PermissionDenied", "You are not allowed to read on secrets")
	case !slices.Contains(p.Environments, environment), q.Get(path) != "/" && !s.isFolder(at):
		refuse(w, http.StatusNotFound, "NotFound", "Folder with path '"+q.Get(path)+"' in environment with slug '"+environment+"' not found")
	default:
		return at, true
	}
	return at, false
}

func (s *Server) isFolder(at string) bool {
	for place := range s.secrets {
		if place == at || strings.HasPrefix(place, at+"/") {
			return true
		}
	}
	return false
}

func (s *Server) listSecrets(project string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		at, ok := s.asked(w, r, project, "secretPath")
		if !ok {
			return
		}
		view := r.URL.Query().Get("viewSecretValue") != "false"
		imports := []object{}
		if r.URL.Query().Get("include_imports") == "true" {
			for _, from := range s.imports[at] {
				split := strings.SplitN(from, "/", 3)
				imports = append(imports, object{"environment": split[1], "secretPath": "/" + split[2], "secrets": shown(s.secrets[from], view)})
			}
		}
		s.list(w, r, "secrets", shown(s.secrets[at], view), object{"imports": imports})
	}
}

// shown is how secrets are answered.
func shown(secrets []Secret, view bool) []object {
	all := []object{}
	for _, secret := range secrets {
		kind, value := secret.Type, secret.Value
		if kind == "" {
			kind = "shared"
		}
		if secret.Hidden || !view {
			value = "<hidden-by-infisical>"
		}
		all = append(all, object{"id": "id-" + secret.Name, "secretKey": secret.Name, "secretValue": value, "type": kind, "version": 1,
			"secretValueHidden": secret.Hidden || !view})
	}
	return all
}

// list answers a list, whole or the page of it that is asked for.
func (s *Server) list(w http.ResponseWriter, r *http.Request, name string, all []object, beside object) {
	if s.PageSize > 0 {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset")) // none is the first
		beside["totalCount"] = len(all)
		all = all[min(offset, len(all)):min(offset+s.PageSize, len(all))]
	}
	beside[name] = all
	answer(w, http.StatusOK, beside)
}

func (s *Server) listFolders(w http.ResponseWriter, r *http.Request) {
	at, ok := s.asked(w, r, "workspaceId", "path")
	if !ok {
		return
	}
	names := map[string]bool{}
	for place := range s.secrets {
		if rest, below := strings.CutPrefix(place, strings.TrimSuffix(at, "/")+"/"); below && rest != "" {
			name, _, _ := strings.Cut(rest, "/")
			names[name] = true
		}
	}
	folders := []object{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		folders = append(folders, object{"id": "id-" + name, "name": name})
	}
	s.list(w, r, "folders", folders, object{})
}

func (s *Server) project(id string) object {
	p := s.projects[id]
	environments := []object{}
	for _, slug := range p.Environments {
		environments = append(environments, object{"id": "env-" + slug, "slug": slug, "name": strings.ToUpper(slug)})
	}
	return object{"id": id, "name": p.Name, "slug": id, "environments": environments}
}

func (s *Server) listProjects(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		all := []object{}
		for _, id := range slices.Sorted(maps.Keys(s.projects)) {
			if !s.refused[id] {
				all = append(all, s.project(id))
			}
		}
		s.list(w, r, name, all, object{})
	}
}

func (s *Server) oneProject(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		switch _, found := s.projects[id]; {
		case !found:
			refuse(w, http.StatusNotFound, "NotFound", "Project with ID '"+id+"' not found")
		case s.refused[id]:
			refuse(w, http.StatusForbidden, "PermissionDenied", "You are not allowed to read on project")
		default:
			answer(w, http.StatusOK, object{name: s.project(id)})
		}
	}
}
