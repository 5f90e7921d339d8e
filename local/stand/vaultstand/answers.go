package vaultstand

import (
	"encoding/json"
	"net/http"
	"slices"
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

func refuse(w http.ResponseWriter, status int, errors ...string) {
	if errors == nil {
		errors = []string{}
	}
	answer(w, status, object{"errors": errors})
}

func (s *Server) lookup(w http.ResponseWriter, _ *http.Request, t *Token) {
	answer(w, http.StatusOK, object{"data": object{"ttl": int(t.TTL.Seconds()), "renewable": t.Renewable, "policies": []string{"default"}}})
}

func (s *Server) renew(w http.ResponseWriter, r *http.Request, t *Token) {
	if !t.Renewable {
		refuse(w, http.StatusBadRequest, "lease is not renewable")
		return
	}
	t.Renewed++
	answer(w, http.StatusOK, object{"auth": object{"client_token": r.Header.Get("X-Vault-Token"), "lease_duration": int(t.TTL.Seconds()), "renewable": true}})
}

func (m Mount) shown() object {
	shown := object{"type": m.Type, "options": nil}
	if m.Version != "" {
		shown["options"] = object{"version": m.Version}
	}
	return shown
}

func (s *Server) listMounts(w http.ResponseWriter, _ *http.Request, _ *Token) {
	mounts := object{"sys/": object{"type": "system", "options": nil}, "cubbyhole/": object{"type": "cubbyhole", "options": nil}}
	for path, m := range s.mounts {
		mounts[path+"/"] = m.shown()
	}
	answer(w, http.StatusOK, object{"data": object{"secret": mounts, "auth": object{}}})
}

func (s *Server) oneMount(w http.ResponseWriter, r *http.Request, _ *Token) {
	path := strings.Trim(r.PathValue("mount"), "/")
	m, found := s.mounts[path]
	if !found {
		refuse(w, http.StatusForbidden, "preflight capability check returned 403, please ensure client's policies grant access to path \""+path+"/\"")
		return
	}
	shown := m.shown()
	shown["path"] = path + "/"
	answer(w, http.StatusOK, object{"data": shown})
}

// read answers for the mount that the path is in.
func (s *Server) read(w http.ResponseWriter, r *http.Request, _ *Token) {
	path := r.PathValue("path")
	for mount, m := range s.mounts {
		rest, inside := strings.CutPrefix(path, mount+"/")
		if !inside {
			continue
		}
		secret, isData := strings.CutPrefix(rest, "data/")
		folder, isList := strings.CutPrefix(rest+"/", "metadata/")
		switch {
		case m.Type != "kv" || m.Version != "2":
			refuse(w, http.StatusNotFound)
		case isData:
			s.secret(w, mount+"/"+secret)
		case isList && r.URL.Query().Get("list") == "true":
			s.list(w, mount+"/"+strings.TrimPrefix(folder, "/"))
		default:
			answer(w, http.StatusNotFound, object{"data": nil, "warnings": []string{"Invalid path for a versioned K/V secrets engine."}})
		}
		return
	}
	refuse(w, http.StatusNotFound, `no handler for route "`+path+`". route entry not found.`)
}

func (s *Server) secret(w http.ResponseWriter, key string) {
	versions := s.kept[key]
	if len(versions) == 0 {
		refuse(w, http.StatusNotFound)
		return
	}
	last := versions[len(versions)-1]
	metadata := object{"created_time": last.at, "deletion_time": "", "destroyed": last.destroyed, "version": len(versions), "custom_metadata": nil}
	if !last.deleted && !last.destroyed {
		answer(w, http.StatusOK, object{"data": object{"data": last.data, "metadata": metadata}})
		return
	}
	if last.deleted {
		metadata["deletion_time"] = time.Now().UTC().Format(time.RFC3339Nano)
	}
	answer(w, http.StatusNotFound, object{"data": object{"data": nil, "metadata": metadata}})
}

// list answers what is directly below a folder, whose name ends in a slash.
func (s *Server) list(w http.ResponseWriter, folder string) {
	var keys []string
	for key := range s.kept {
		rest, inside := strings.CutPrefix(key, folder)
		if !inside {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if deeper {
			name += "/"
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	if len(keys) == 0 {
		refuse(w, http.StatusNotFound)
		return
	}
	slices.Sort(keys)
	answer(w, http.StatusOK, object{"data": object{"keys": keys}})
}
