package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackSyncer asks for deployments; see stacks.Desk.
type StackSyncer interface {
	Sync(ctx context.Context, id core.StackID, by access.Principal) (stacks.Deployment, error)
	Redeploy(ctx context.Context, id core.StackID, options stacks.DeployOptions, by access.Principal) (stacks.Deployment, error)
}

// SyncStack asks for a deployment of the repository's head and goes to watch it.
func SyncStack(desk StackSyncer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		d, err := desk.Sync(r.Context(), stackIn(r), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, deploymentHref(d.ID))
	})
}

type redeployPage struct {
	Head                 stackHead
	Revision             int    // that is put in place again; 0: the newest commit is
	Held                 string // commit in quarantine; empty: there is none
	Trouble              string
	Containers, Networks tick
	Mounted              []string // volumes that what is in place mounts
}

var redeployView = newView[redeployPage]("stack_redeploy.html")

// RedeployReader reads what a redeploy goes by.
type RedeployReader interface {
	StackFinder
	DeploymentLister
	RevisionFinder
}

// NewRedeploy says what a redeploy puts in place, and asks what it is to make anew.
func NewRedeploy(reader RedeployReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := reader.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		return writeRedeploy(w, r, reader, s, stacks.DeployOptions{RecreateContainers: true}, complaints{Status: http.StatusOK})
	})
}

func writeRedeploy(w http.ResponseWriter, r *http.Request, reader RedeployReader, s stacks.Stack, o stacks.DeployOptions, c complaints) error {
	newest, err := reader.Deployments(r.Context(), stacks.DeploymentFilter{Stack: s.ID}, core.Page{Limit: 2}) // those that have not ended are the newest
	if err != nil {
		return err
	}
	current, err := currentRevision(r.Context(), reader, s)
	if err != nil {
		return err
	}
	f := newFrame(r, inStacks, "Redeploy "+s.Name, stackTrail(s)...)
	f.Problem = c.Status != http.StatusOK
	page := newRedeployPage(s, o, current)
	page.Revision, page.Trouble = s.Again(newest.Items), c.general()
	return redeployView.write(w, r, c.Status, f, page)
}

// newRedeployPage asks what is made anew. What deletes data is no tick among the others: it is asked for by itself, and twice.
func newRedeployPage(s stacks.Stack, o stacks.DeployOptions, current stacks.Revision) redeployPage {
	return redeployPage{Head: headOf(s, nil, ""), Held: s.Quarantine.Commit.Short(), Mounted: volumesOf(current.Services),
		Containers: tick{Name: "containers", Label: "Recreate containers", On: o.RecreateContainers,
			Hint: "Every container is replaced, also where nothing changed. Short downtime."},
		Networks: tick{Name: "networks", Label: "Recreate networks", On: o.RecreateNetworks, Hint: "The stack is taken down first, so that its networks are made anew."}}
}

// Redeploy asks for a deployment that makes anew what was ticked.
func Redeploy(reader RedeployReader, desk StackSyncer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		options := stacks.DeployOptions{RecreateContainers: form.Has("containers"), RecreateNetworks: form.Has("networks"), RecreateVolumes: form.Has("volumes")}
		d, err := desk.Redeploy(r.Context(), stackIn(r), options, endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, deploymentHref(d.ID))
		}
		c, ours := complain(r, err)
		s, err2 := reader.Stack(r.Context(), stackIn(r))
		if !ours || err2 != nil {
			return err
		}
		return writeRedeploy(w, r, reader, s, options, c)
	})
}
