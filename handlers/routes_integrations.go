package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/integrations"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// IntegrationsDeps is what integrations need.
type IntegrationsDeps struct {
	Desk IntegrationsDesk
}

// IntegrationsDesk is the use cases of integrations; *integrations.Desk has them.
type IntegrationsDesk interface {
	api.IntegrationFinder
	api.IntegrationSaver
	api.IntegrationTester
	api.IntegrationDeleter
	api.SecretPicker
}

func integrationRoutes(d Deps) []Route {
	desk := d.Integrations.Desk
	const all, single = "/api/custom/integrations", "/api/custom/integrations/{slug}"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "integrations"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	pick := func(path string, kind integrations.StepKind, summary string, query ...Param) Route {
		return row(http.MethodGet, all+path, access.Operate, api.PickSecret(desk, kind), Operation{Summary: summary, Response: endpoint.Items[api.ChoiceAnswer]{},
			Status: http.StatusOK, Query: query, Problems: []int{http.StatusConflict}})
	}
	mount, project := required(text("mount", "a mount of the picker")), required(text("project", "a project of the picker"))
	return []Route{
		row(http.MethodGet, all, access.Administer, api.ListIntegrations(desk),
			Operation{Summary: "List all integrations", Response: endpoint.Items[api.IntegrationAnswer]{}, Status: http.StatusOK}),
		row(http.MethodGet, single, access.Administer, api.GetIntegration(desk),
			Operation{Summary: "Read an integration", Response: api.IntegrationAnswer{}, Status: http.StatusOK}),
		row(http.MethodPut, single, access.Administer, api.SaveIntegration(desk),
			Operation{Summary: "Configure, enable or disable an integration", Detail: "A notification target may be there any number of times: a slug such as `slack-ops` makes one more of the kind `slack`.", Request: api.SaveIntegrationRequest{}, Response: api.IntegrationAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, single, access.Administer, api.DeleteIntegration(desk),
			Operation{Summary: "Delete a notification target", Detail: "One with a name goes from the list, another is as if nobody had configured it. Secret backends stay: disable them.", Status: http.StatusNoContent, Problems: []int{http.StatusConflict}}),
		row(http.MethodPost, single+"/test", access.Administer, api.TestIntegration(desk),
			Operation{Summary: "Try an integration as it is configured", Response: api.IntegrationTestAnswer{}, Status: http.StatusOK}),
		pick("/vault/mounts", integrations.StepMounts, "List the mounts of the vault that can be picked from"),
		pick("/vault/paths", integrations.StepPaths, "List secrets and folders of a mount", mount, text("prefix", "the folder to look into; default: the mount's root")),
		pick("/vault/fields", integrations.StepFields, "List the field names of a secret", mount, required(text("path", "of the secret"))),
		pick("/manager/projects", integrations.StepProjects, "List the projects of the secrets manager"),
		pick("/manager/environments", integrations.StepEnvironments, "List the environments of a project", project),
		pick("/manager/secrets", integrations.StepSecrets, "List secret names and folders of an environment", project,
			required(text("environment", "an environment of the picker")), text("path", "the folder to look into; default: the root")),
	}
}
