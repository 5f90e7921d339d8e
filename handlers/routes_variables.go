package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// VariablesDeps is what variables need.
type VariablesDeps struct {
	Desk        VariablesDesk
	Stacks      api.StackFinder
	Jobs        api.JobFinder
	Environment api.EnvironmentReader
	Rotations   api.RotationReader
}

// VariablesDesk is the use cases of variables; *variables.Desk has them.
type VariablesDesk interface {
	api.VariableLister
	api.VariableCreator
	api.VariableUpdater
	api.VariableDeleter
	api.VariableImporter
	api.VariableExporter
	api.VariableBinder
	api.EffectiveLister
}

func variableRoutes(d Deps) []Route {
	s := d.Variables
	const all, bound, jobBound = "/api/custom/variables", "/api/custom/stacks/{id}/global-variables", "/api/custom/jobs/{id}/global-variables"
	row := func(method, pattern string, may access.Capability, handler http.Handler, op Operation) Route {
		op.Tag = "variables"
		return Route{Method: method, Pattern: pattern, Capability: may, Surface: guard.API, Handler: handler, Operation: op}
	}
	scope, of := oneOf("scope", "what they belong to", variables.Scopes), text("scope_id", "of the stack or job")
	return []Route{
		row(http.MethodGet, all, access.View, api.ListVariables(s.Desk),
			Operation{Summary: "List variables in order of age", Response: endpoint.Items[api.VariableAnswer]{}, Status: http.StatusOK, Query: append([]Param{scope, of}, pageParams...)}),
		row(http.MethodPost, all, access.Operate, api.CreateVariable(s.Desk),
			Operation{Summary: "Add a variable", Request: api.CreateVariableRequest{}, Response: api.VariableAnswer{}, Status: http.StatusCreated}),
		row(http.MethodPatch, all+"/{id}", access.Operate, api.UpdateVariable(s.Desk),
			Operation{Summary: "Edit a variable", Request: api.UpdateVariableRequest{}, Response: api.VariableAnswer{}, Status: http.StatusOK}),
		row(http.MethodDelete, all+"/{id}", access.Operate, api.DeleteVariable(s.Desk),
			Operation{Summary: "Delete a variable", Status: http.StatusNoContent}),
		row(http.MethodPost, all+"/import", access.Operate, api.ImportVariables(s.Desk),
			Operation{Summary: "Take .env text into a scope, all of it or nothing", Request: api.ImportVariablesRequest{}, Response: api.ImportVariablesAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, all+"/export", access.View, api.ExportVariables(s.Desk),
			Operation{Summary: "Give the variables of a scope as .env text, secrets without values", ContentType: "text/plain", Status: http.StatusOK, Query: []Param{required(scope), of}}),
		row(http.MethodGet, bound, access.View, api.ListStackGlobals(s.Stacks, s.Desk),
			Operation{Summary: "List the global variables that reach a stack", Response: endpoint.Items[api.VariableAnswer]{}, Status: http.StatusOK}),
		row(http.MethodGet, "/api/custom/stacks/{id}/effective-variables", access.View, api.ListEffective(s.Stacks, s.Environment, s.Desk, s.Rotations),
			Operation{Summary: "List every variable that a stack sees: whose value wins, who is shadowed, what nobody provides, what runs with an older secret", Response: api.EffectiveAnswer{}, Status: http.StatusOK}),
		row(http.MethodGet, jobBound, access.View, api.ListJobGlobals(s.Jobs, s.Desk),
			Operation{Summary: "List the global variables that reach a job", Response: endpoint.Items[api.VariableAnswer]{}, Status: http.StatusOK}),
		row(http.MethodPut, jobBound, access.Operate, api.BindJobGlobals(s.Jobs, s.Desk),
			Operation{Summary: "Set which global variables reach a job", Request: api.BindVariablesRequest{}, Response: endpoint.Items[api.VariableAnswer]{}, Status: http.StatusOK}),
		row(http.MethodPut, bound, access.Operate, api.BindStackGlobals(s.Stacks, s.Desk),
			Operation{Summary: "Set which global variables reach a stack", Request: api.BindVariablesRequest{}, Response: endpoint.Items[api.VariableAnswer]{}, Status: http.StatusOK}),
	}
}
