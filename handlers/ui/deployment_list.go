package ui

import (
	"net/http"
	"net/url"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

type deploymentListPage struct {
	Stack, StackHref string // whose deployments; empty: all
	States           []tab
	Narrowed         bool
	Table            deploymentTable
	More             string
	LeftOut          []string // identifiers of deployments that are stored and cannot be read
}

// DeploymentsReader lists deployments and knows their stacks.
type DeploymentsReader interface {
	StackFinder
	NameTeller
	DeploymentLister
}

var deploymentListView = newView[deploymentListPage]("deployment_list.html")

// Deployments lists deployments, newest first: those of ?stack=, or all, narrowed by ?state=.
func Deployments(reader DeploymentsReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		page, trail := deploymentListPage{}, []crumb{{"Stacks", "/stacks"}}
		id := core.StackID(r.URL.Query().Get("stack"))
		if id != "" {
			s, err := reader.Stack(r.Context(), id)
			if err != nil {
				return err
			}
			page.Stack, page.StackHref = s.Name, stackHref(id)
			trail = append(trail, crumb{s.Name, page.StackHref})
		}
		state, err := endpoint.OneOf(r.URL.Query(), "state", stacks.DeploymentStates)
		if err != nil {
			return err
		}
		page.States, page.Narrowed = stateTabs(r.URL, stacks.DeploymentStates, deploymentBadges), state != ""
		list, err := reader.Deployments(r.Context(), stacks.DeploymentFilter{Stack: id, State: state}, ask)
		if err != nil {
			return err
		}
		page.LeftOut = list.LeftOut
		page.Table.Stacks, page.More = id == "", following(r.URL, list.Next)
		page.Table.Lines, err = linesOf(r.Context(), reader, list.Items, now())
		if err != nil {
			return err
		}
		return deploymentListView.write(w, r, http.StatusOK, newFrame(r, inStacks, "Deployments", trail...).following(false), page)
	})
}

// deploymentsHref lists the deployments of a stack.
func deploymentsHref(id core.StackID) string {
	return withQuery("/deployments", url.Values{"stack": {string(id)}})
}
