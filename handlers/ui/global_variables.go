package ui

import (
	"net/http"

	"berth/core"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

type globalVariablesPage struct {
	Lines      []globalLine
	ExportHref string
}

// globalLine is a global variable, and how many stacks it reaches.
type globalLine struct {
	Variable variableLine
	Stacks   int
}

var globalVariablesView = newView[globalVariablesPage]("variable_list.html")

// GlobalVariables lists the variables that can be bound to stacks.
func GlobalVariables(lister VariableLister, reacher VariableReacher, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := variablesOf(r.Context(), lister, variables.Global)
		if err != nil {
			return err
		}
		reach, err := reacher.Reach(r.Context())
		if err != nil {
			return err
		}
		page := globalVariablesPage{ExportHref: exportHref(variables.Global)}
		for _, v := range all {
			page.Lines = append(page.Lines, globalLine{variableOf(v, "/variables/"+string(v.ID), now()), reach[v.ID]})
		}
		return globalVariablesView.write(w, r, http.StatusOK, newFrame(r, inVariables, "Global variables"), page)
	})
}
