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
	Head                          stackHead
	Containers, Networks, Volumes tick
}

var redeployView = newView[redeployPage]("stack_redeploy.html")

// NewRedeploy asks what a redeploy is to make anew.
func NewRedeploy(finder StackFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := finder.Stack(r.Context(), stackIn(r))
		if err != nil {
			return err
		}
		f := newFrame(r, inStacks, "Redeploy "+s.Name, stackTrail(s)...)
		return redeployView.write(w, r, http.StatusOK, f, redeployPage{
			Head: headOf(s, nil, ""),
			Containers: tick{Name: "containers", Label: "Recreate containers", On: true,
				Hint: "Every container is replaced, also where nothing changed. Short downtime."},
			Networks: tick{Name: "networks", Label: "Recreate networks", Hint: "The stack is taken down first, so that its networks are made anew."},
			Volumes:  tick{Name: "volumes", Label: "Recreate volumes", Hint: "Deletes the data in the stack's own volumes for good. There is no way back."},
		})
	})
}

// Redeploy asks for a deployment that makes anew what was ticked.
func Redeploy(desk StackSyncer) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		options := stacks.DeployOptions{RecreateContainers: form.Has("containers"), RecreateNetworks: form.Has("networks"), RecreateVolumes: form.Has("volumes")}
		d, err := desk.Redeploy(r.Context(), stackIn(r), options, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, deploymentHref(d.ID))
	})
}
