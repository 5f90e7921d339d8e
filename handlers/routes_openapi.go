package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/guard"
	"berth/handlers/openapi"
	"berth/handlers/ui"
)

// openAPIRoutes describe the others and themselves. They are public: what they tell is in
// the source, and whoever writes a program against a server reads it before they have a key.
func openAPIRoutes(d Deps, others []Route) []Route {
	const document, docs, style = "/api/custom/openapi.json", "/api/custom/docs", "/api/custom/docs/style.css"
	var all []Route
	site := openapi.NewSite(func() []openapi.Route { return documented(all) }, d.Ops.Version, d.origin(), openapi.Paths{Document: document, Style: style, Mark: ui.Mark()})
	own := []Route{
		{Method: http.MethodGet, Pattern: document, Capability: access.Public, Surface: guard.API, Handler: site.Document(),
			Operation: Operation{Summary: "This description, as an OpenAPI 3.1 document", Tag: "description", Response: map[string]any{}, Status: http.StatusOK}},
		{Method: http.MethodGet, Pattern: docs, Capability: access.Public, Surface: guard.Page, Handler: site.Page()},
		{Method: http.MethodGet, Pattern: style, Capability: access.Public, Surface: guard.Asset, Handler: site.Style()},
	}
	all = append(all, others...)
	all = append(all, own...)
	return own
}

// documented is what a description needs to know of a table.
func documented(table []Route) []openapi.Route {
	all := make([]openapi.Route, len(table))
	for i, r := range table {
		all[i] = openapi.Route{Method: r.Method, Pattern: r.Pattern, Rule: r.rule(), Operation: r.Operation}
	}
	return all
}

// origin is the address of the server as browsers see it; without one, of whoever reads.
func (d Deps) origin() string {
	if d.Guard.AppURL == nil {
		return "/"
	}
	return d.Guard.AppURL.String()
}
