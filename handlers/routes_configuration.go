package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/configuration"
	"berth/handlers/api"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// ConfigurationDeps is what configuration as a file needs.
type ConfigurationDeps struct {
	Desk api.ConfigurationDesk // *configuration.Desk
}

func configurationRoutes(d Deps) []Route {
	desk := d.Configuration.Desk
	const all = "/api/custom/configuration"
	row := func(method, pattern string, handler http.Handler, op Operation) Route {
		op.Tag, op.Status = "configuration", http.StatusOK
		r := Route{Method: method, Pattern: pattern, Capability: access.Administer, Surface: guard.API, Handler: handler, Operation: op}
		if method == http.MethodPost {
			r.BodyLimit, r.RequestType = configuration.MaxFile, api.ConfigurationMedia
			r.Problems = append(r.Problems, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
		}
		return r
	}
	prune := choice("prune", "delete what a section of the file does not name; never repository keys, SSH hosts, integrations, workers, policies and people; default: leave it alone")
	return []Route{
		row(http.MethodGet, all, api.ExportConfiguration(desk), Operation{Summary: "Export the installation as one file", ContentType: api.ConfigurationMedia,
			Detail: "It holds what the installation is made of, by names, without any secret and without what it has done. The same installation gives the same bytes."}),
		row(http.MethodPost, all+"/plan", api.PlanConfiguration(desk), Operation{Summary: "Plan what a file would change", Response: api.ConfigurationPlan{}, Query: []Param{prune},
			Detail: "Nothing changes. All problems of the file are told at once, with their lines."}),
		row(http.MethodPost, all+"/apply", api.ApplyConfiguration(desk), Operation{Summary: "Apply a file", Response: api.ConfigurationReport{},
			Query:    []Param{prune, text("fingerprint", "of the plan that was looked at: when anything has changed since, nothing is done; required with prune")},
			Detail:   "Each thing is done or not; the answer says which could not be, and why. Applying the file again does what is left. Secrets, workers and people that no file can bring are named under needs.",
			Problems: []int{http.StatusConflict}}),
	}
}

func uiConfigurationRoutes(c ConfigurationDeps) []Route {
	const all = "/configuration"
	plan, apply := form(all+"/plan", access.Administer, ui.PlanConfiguration(c.Desk)), form(all+"/apply", access.Administer, ui.ApplyConfiguration(c.Desk))
	plan.BodyLimit, apply.BodyLimit = ui.ConfigurationForm, ui.ConfigurationForm
	return []Route{page(all, access.Administer, ui.Configuration()), plan, apply}
}
