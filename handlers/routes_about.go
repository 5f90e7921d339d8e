package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/about"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// AboutDeps is what is told of the program and of how it is put up.
type AboutDeps struct {
	Installation about.Installation
	Now          core.Clock
}

func aboutRoutes(d Deps) []Route {
	return []Route{{Method: http.MethodGet, Pattern: "/api/custom/about", Capability: access.View, Surface: guard.API, Handler: api.About(d.About.Installation),
		Operation: Operation{Summary: "What program answers, and how the installation is put up", Tag: "about", Response: api.AboutAnswer{}, Status: http.StatusOK}}}
}

func uiAboutRoutes(a AboutDeps) []Route {
	return []Route{page("/about", access.View, ui.About(a.Installation, a.Now))}
}
