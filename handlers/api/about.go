package api

import (
	"net/http"
	"time"

	"berth/core/about"
	"berth/handlers/endpoint"
)

// AboutAnswer is what program answers, and how the installation is put up.
type AboutAnswer struct {
	Version  string         `json:"version"`
	Commit   string         `json:"commit"`   // that it was built from; "" when the build did not say
	Changed  bool           `json:"changed"`  // the source was not as in the commit
	Go       string         `json:"go"`       // release of Go that built it
	Platform string         `json:"platform"` // operating system and processor
	Schema   int            `json:"schema"`   // number of the last migration that it needs
	Database string         `json:"database"` // SQLite or PostgreSQL
	Hub      string         `json:"hub"`      // where it is, in words
	Host     string         `json:"host"`     // what answers requests, in words
	BeganAt  time.Time      `json:"began_at"` // when this process began
	Modules  []ModuleAnswer `json:"modules"`  // others' work that it contains, by path
}

// ModuleAnswer is a Go module that the program contains.
type ModuleAnswer struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// About answers with what program this is.
func About(a about.Installation) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		answer := AboutAnswer{Version: a.Version, Commit: a.Build.Commit, Changed: a.Build.Changed, Go: a.Build.Go, Platform: a.Build.Platform, Schema: a.Schema,
			Database: a.Database, Hub: a.Hub, Host: a.Host, BeganAt: a.Began.UTC(), Modules: []ModuleAnswer{}}
		for _, m := range a.Build.Modules {
			answer.Modules = append(answer.Modules, ModuleAnswer{m.Path, m.Version})
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}
