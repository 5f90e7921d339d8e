package forge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type object = map[string]any

// signed lets requests with a good token through.
func (f *Forge) signed(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || !f.good(text) {
			f.fail(w, http.StatusUnauthorized, map[Kind]string{GitHub: "Bad credentials", Gitea: "token is required", GitLab: "401 Unauthorized"}[f.Kind])
			return
		}
		if f.Kind == GitHub && r.Header.Get("User-Agent") == "" {
			f.fail(w, http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
			return
		}
		next(w, r)
	}
}

// fail answers with an error in the host's form.
func (f *Forge) fail(w http.ResponseWriter, status int, message string) {
	answer := object{"message": message}
	switch f.Kind {
	case GitHub:
		answer["documentation_url"], answer["status"] = "https://docs.github.com/rest", strconv.Itoa(status)
	case Gitea:
		answer["url"] = "https://gitea.test/api/swagger"
	}
	writeJSON(w, status, answer)
}

// github serves what GitHub and Gitea share.
func (f *Forge) github(mux *http.ServeMux, root string) {
	on := func(pattern string, handler http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+root+path, f.signed(handler))
	}
	on("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, object{"login": f.Account, "id": 1})
	})
	on("GET /user/orgs", func(w http.ResponseWriter, r *http.Request) {
		page(f, w, r, f.Organizations, func(name string) object { return object{"login": name, "username": name, "id": 2} })
	})
	on("GET /user/repos", func(w http.ResponseWriter, r *http.Request) {
		page(f, w, r, f.of(func(owner string) bool { return f.Kind == Gitea || owner == f.Account }), f.hubRepository)
	})
	on("GET /orgs/{org}/repos", func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(f.Organizations, r.PathValue("org")) {
			f.fail(w, http.StatusNotFound, "Not Found")
			return
		}
		page(f, w, r, f.of(func(owner string) bool { return owner == r.PathValue("org") }), f.hubRepository)
	})
	on("POST /repos/{owner}/{repo}/statuses/{sha}", func(w http.ResponseWriter, r *http.Request) {
		f.status(w, r, r.PathValue("owner")+"/"+r.PathValue("repo"), "context", []string{"pending", "success", "failure", "error"})
	})
	on("GET /repos/{owner}/{repo}/branches", func(w http.ResponseWriter, r *http.Request) {
		f.branches(w, r, r.PathValue("owner")+"/"+r.PathValue("repo"))
	})
}

// gitlab serves GitLab's part: whole paths are one escaped segment.
func (f *Forge) gitlab(mux *http.ServeMux, root string) {
	on := func(pattern string, handler http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" "+root+path, f.signed(handler))
	}
	on("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, object{"username": f.Account, "id": 1})
	})
	on("GET /groups", func(w http.ResponseWriter, r *http.Request) {
		page(f, w, r, f.Organizations, func(name string) object {
			return object{"full_path": name, "full_name": strings.ReplaceAll(name, "/", " / "), "id": 2}
		})
	})
	projects := func(owner string, known bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !known {
				f.fail(w, http.StatusNotFound, "404 Group Not Found")
				return
			}
			page(f, w, r, f.of(func(o string) bool { return o == owner }), func(p Repository) object {
				visibility := map[bool]string{true: "private", false: "public"}[p.Private]
				return object{"path_with_namespace": p.Owner + "/" + p.Name, "path": p.Name, "default_branch": p.Default, "visibility": visibility, "archived": false}
			})
		}
	}
	on("GET /groups/{group}/projects", func(w http.ResponseWriter, r *http.Request) {
		projects(r.PathValue("group"), slices.Contains(f.Organizations, r.PathValue("group")))(w, r)
	})
	on("GET /users/{user}/projects", func(w http.ResponseWriter, r *http.Request) {
		projects(f.Account, r.PathValue("user") == f.Account)(w, r)
	})
	on("POST /projects/{project}/statuses/{sha}", func(w http.ResponseWriter, r *http.Request) {
		f.status(w, r, r.PathValue("project"), "name", []string{"pending", "running", "success", "failed", "canceled", "skipped"})
	})
	on("GET /projects/{project}/repository/branches", func(w http.ResponseWriter, r *http.Request) { f.branches(w, r, r.PathValue("project")) })
}

func (f *Forge) of(owner func(string) bool) (some []Repository) {
	for _, r := range f.Repositories {
		if owner(r.Owner) {
			some = append(some, r)
		}
	}
	return some
}

func (f *Forge) hubRepository(r Repository) object {
	return object{"full_name": r.Owner + "/" + r.Name, "name": r.Name, "default_branch": r.Default, "private": r.Private, "archived": false,
		"clone_url": "https://elsewhere.example/" + r.Owner + "/" + r.Name + ".git"}
}

func (f *Forge) branches(w http.ResponseWriter, r *http.Request, full string) {
	i := slices.IndexFunc(f.Repositories, func(r Repository) bool { return r.Owner+"/"+r.Name == full })
	if i < 0 {
		f.fail(w, http.StatusNotFound, "Not Found")
		return
	}
	page(f, w, r, f.Repositories[i].Branches, func(name string) object { return object{"name": name} })
}

// page answers with one page of a list, and says in a Link header whether there is another.
func page[T any](f *Forge, w http.ResponseWriter, r *http.Request, all []T, show func(T) object) {
	limit := map[Kind]string{GitHub: "per_page", Gitea: "limit", GitLab: "per_page"}[f.Kind]
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(r.URL.Query().Get(name))
		if err != nil || n < 1 {
			return otherwise
		}
		return n
	}
	most := f.PageSize
	if most == 0 {
		most = 100
	}
	size, at := min(number(limit, 30), most), number("page", 1)
	from, to := min((at-1)*size, len(all)), min(at*size, len(all))
	if to < len(all) {
		next := url.Values{limit: {strconv.Itoa(size)}, "page": {strconv.Itoa(at + 1)}}
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?%s>; rel="next", <http://%[1]s%[2]s?page=9>; rel="last"`, r.Host, r.URL.Path, next.Encode()))
	}
	items := []object{}
	for _, item := range all[from:to] {
		items = append(items, show(item))
	}
	writeJSON(w, http.StatusOK, items)
}

// status takes in what a commit came to. named is what the host calls the context; GitLab takes no state that the commit has already.
func (f *Forge) status(w http.ResponseWriter, r *http.Request, full, named string, states []string) {
	var said map[string]string
	if err := json.NewDecoder(r.Body).Decode(&said); err != nil || !slices.Contains(states, said["state"]) || len(r.PathValue("sha")) != 40 {
		f.fail(w, map[Kind]int{GitHub: http.StatusUnprocessableEntity, Gitea: http.StatusUnprocessableEntity, GitLab: http.StatusBadRequest}[f.Kind], "Validation Failed")
		return
	}
	known := slices.ContainsFunc(f.Repositories, func(r Repository) bool { return r.Owner+"/"+r.Name == full })
	if f.Guest || !known {
		f.fail(w, map[bool]int{true: http.StatusForbidden, false: http.StatusNotFound}[known], "Resource not accessible")
		return
	}
	one := Status{full, r.PathValue("sha"), said["state"], said[named], said["target_url"], said["description"]}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Kind == GitLab && slices.Contains(f.statuses, one) {
		f.fail(w, http.StatusBadRequest, "Cannot transition status via :run from :running (Reason(s): Status cannot transition via \"run\")")
		return
	}
	f.statuses = append(f.statuses, one)
	writeJSON(w, http.StatusCreated, object{"id": len(f.statuses), "state": one.State})
}

// Statuses returns what the forge was told of commits.
func (f *Forge) Statuses() []Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.statuses)
}
