package ui

import (
	"net/http"

	"berth/core"
	"berth/core/about"
	"berth/handlers/endpoint"
)

// aboutPage is what program this is, and how the installation is put up.
type aboutPage struct {
	Version      string
	Commit       string // its beginning; empty: the build did not say
	Changed      bool   // the source was not as in the commit
	Go, Platform string
	Schema       int
	Database     string
	Hub, Host    string
	Began        moment
	Modules      []moduleLine
}

type moduleLine struct{ Path, Version string }

var aboutView = newView[aboutPage]("about.html")

// About shows what program this is.
func About(a about.Installation, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return aboutView.write(w, r, http.StatusOK, newFrame(r, inAbout, "About"), aboutOf(a, now))
	})
}

func aboutOf(a about.Installation, now core.Clock) aboutPage {
	p := aboutPage{Version: a.Version, Commit: core.Commit(a.Build.Commit).Short(), Changed: a.Build.Changed, Go: a.Build.Go, Platform: a.Build.Platform,
		Schema: a.Schema, Database: a.Database, Hub: a.Hub, Host: a.Host, Began: at(a.Began, now())}
	for _, m := range a.Build.Modules {
		p.Modules = append(p.Modules, moduleLine{m.Path, m.Version})
	}
	return p
}
