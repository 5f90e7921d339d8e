package handlers

import (
	"berth/core/access"
	"berth/handlers/ui"
)

// UIVariables is the use cases of variables.
type UIVariables interface {
	ui.VariableDesk
	ui.VariableReacher
	ui.VariableBinder
	ui.EffectiveLister
}

// UIIntegrations is the use cases of integrations.
type UIIntegrations interface {
	ui.IntegrationDesk
	ui.SecretBackends
}

func uiVariableRoutes(u UIDeps) []Route {
	const stack, job, global = "/stacks/{id}/variables", "/jobs/{id}/variables", "/variables"
	effective := ui.StackVariablesDeps{Finder: u.Store, Desk: u.Variables, Hub: u.Environment, Rotations: u.Store, Backends: u.Integrations, Now: u.Now}
	globals := ui.VariablePages{Of: ui.GlobalScope(), Desk: u.Variables, Reach: u.Variables, Store: u.Store}
	routes := append(uiScopeRoutes(stack, ui.StackScope(u.Store), u), uiScopeRoutes(global, globals.Of, u)...)
	routes = append(routes, uiScopeRoutes(job, ui.JobScope(u.Store), u)...)
	return append(routes,
		page(job, access.View, ui.JobVariables(jobVariables(u))),
		page(stack, access.View, ui.StackVariables(effective)),
		page(global, access.View, ui.GlobalVariables(u.Variables, u.Variables, u.Now)),
		form(global+"/{variable}/reach", access.Operate, ui.BindVariable(globals)),
	)
}

func jobVariables(u UIDeps) ui.JobVariablesDeps {
	return ui.JobVariablesDeps{Finder: u.Store, Desk: u.Variables, Backends: u.Integrations, Now: u.Now}
}

// uiScopeRoutes are the pages that the variables of a stack, of a job, and the global ones have alike.
func uiScopeRoutes(base string, of ui.Scope, u UIDeps) []Route {
	const one = "/{variable}"
	pages := ui.VariablePages{Of: of, Desk: u.Variables, Reach: u.Variables, Store: u.Store}
	return []Route{
		page(base+"/new", access.Operate, ui.NewVariable(of, u.Integrations)),
		form(base, access.Operate, ui.AddVariable(of, u.Variables, u.Integrations)),
		page(base+"/text", access.Operate, ui.VariablesText(of, u.Variables)),
		form(base+"/text", access.Operate, ui.ChangeVariablesText(of, u.Variables)),
		page(base+one, access.Operate, ui.Variable(pages)),
		form(base+one, access.Operate, ui.ChangeVariable(pages)),
		form(base+one+"/delete", access.Operate, ui.DeleteVariable(pages)),
	}
}

func uiIntegrationRoutes(u UIDeps) []Route {
	const one = "/integrations/{slug}"
	return []Route{
		page("/integrations", access.Administer, ui.Integrations(u.Integrations, u.Now)),
		page("/integrations/new", access.Administer, ui.NewTarget(u.Integrations)),
		page(one, access.Administer, ui.Integration(u.Integrations)),
		form(one+"/delete", access.Administer, ui.DeleteIntegration(u.Integrations)),
		form(one, access.Administer, ui.SaveIntegration(u.Integrations)),
		form(one+"/test", access.Administer, ui.TestIntegration(u.Integrations)),
	}
}
