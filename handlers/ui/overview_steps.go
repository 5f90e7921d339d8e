package ui

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// step is one of the way from nothing to a first stack that is well.
type step struct {
	Word, Text   string
	Done, Now    bool
	Action, Href string
	May          bool // the one who looks may take it
}

// firstStacks is up to how many stacks an installation may be a new one; with more, people know the way.
const firstStacks = 3

// putSteps puts the first steps on the page until some stack was deployed and found well.
func (o *overview) putSteps(page *overviewPage, hidden bool) error {
	if page.Total > firstStacks || page.Total == 0 && page.Jobs.Total > 0 {
		return nil
	}
	known, err := o.reader.Stacks(o.ctx, stacks.Filter{}, core.Page{Limit: firstStacks})
	if err != nil {
		return err
	}
	for _, s := range known.Items {
		if s.Revision > 0 {
			return nil // it was verified once
		}
	}
	if hidden {
		page.Hidden = true
		return nil
	}
	p := endpoint.Principal(o.ctx)
	page.Steps = o.steps(p.Can(access.Operate), p.Can(access.Administer), known.Items, page.Deployments.Lines)
	return nil
}

// steps leads from nothing to a first healthy stack: the first that is not done is the one to take now.
func (o *overview) steps(operate, administer bool, known []stacks.Stack, deployments []deploymentLine) []step {
	steps := []step{
		{Word: "Add a worker", Text: "A worker runs on each host with Docker and does the deploying. It dials out to this server, so the host needs no open port.",
			Done: o.presence.Total() > 0, Action: "Add a worker", Href: "/workers/new", May: administer},
		{Word: "Add a repository", Text: "The Git repository that holds your Compose files. It is read every few seconds.",
			Done: o.repositories > 0, Action: "Add a repository", Href: "/repositories/new", May: operate},
		{Word: "Add a stack", Text: "A folder of the repository with a Compose file. It is deployed at once, and again with every commit that changes it.",
			Done: len(known) > 0, Action: "Add a stack", Href: "/stacks/new", May: operate},
		deployStep(known, deployments),
	}
	for i := range steps {
		if !steps[i].Done {
			steps[i].Now = true
			break
		}
	}
	return steps
}

// deployStep is the last one: it leads to the newest deployment, which says how far it is or what went wrong.
func deployStep(known []stacks.Stack, deployments []deploymentLine) step {
	s := step{Word: "See it healthy", Text: "The containers are started and watched until they are well. Then the stack follows its repository by itself.", May: true}
	switch {
	case len(known) == 0:
	case len(deployments) == 0:
		s.Text, s.Action, s.Href = "The stack is there and was not deployed yet. Look at what would run, and deploy it.", "Review and deploy", reviewHref(known[0].ID, true)
	case deployments[0].Badge.Tone == "busy" || deployments[0].Badge.Tone == "idle":
		s.Text, s.Action, s.Href = "It is being deployed. Its phases and its log show how far it is.", "Watch the deployment", deployments[0].Href
	case deployments[0].Badge.Tone == "ok":
		s.Text, s.Action, s.Href = "It was deployed; its containers are being watched until they are well.", "Go to the stack", deployments[0].StackHref
	default:
		s.Text, s.Action, s.Href = "The deployment did not come through. Its page says what failed and what to do; mend it in Git, and the next commit is deployed by itself.", "See what happened", deployments[0].Href
	}
	return s
}

// HideSteps takes the first steps from the overview for the browser that asks, or shows them again.
func HideSteps(secure bool) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		endpoint.HideSteps(w, form.Get("hide") != "", secure)
		return seeOther(w, r, "/")
	})
}
