package ui

import (
	"net/http"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/variables"
	"berth/handlers/endpoint"
)

type globalVariablesPage struct {
	Lines      []globalLine
	ExportHref string
}

// globalLine is a global variable, and what it reaches.
type globalLine struct {
	Variable variableLine
	Reaches  string // "3 stacks and 1 job"; empty: nothing
}

var globalVariablesView = newView[globalVariablesPage]("variable_list.html")

// GlobalVariables lists the variables that can be bound to stacks and jobs.
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
			page.Lines = append(page.Lines, globalLine{variableOf(v, "/variables/"+string(v.ID), now()), reaching(reach[v.ID])})
		}
		return globalVariablesView.write(w, r, http.StatusOK, newFrame(r, inVariables, "Global variables"), page)
	})
}

// reaching says what a global variable reaches.
func reaching(r variables.Reach) string {
	var what []string
	for _, c := range []struct {
		n         int
		one, many string
	}{{r.Stacks, "stack", "stacks"}, {r.Jobs, "job", "jobs"}} {
		switch {
		case c.n == 1:
			what = append(what, "1 "+c.one)
		case c.n > 1:
			what = append(what, strconv.Itoa(c.n)+" "+c.many)
		}
	}
	return strings.Join(what, " and ")
}
