package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentCanceller stops deployments; see stacks.Desk.
type DeploymentCanceller interface {
	Cancel(ctx context.Context, id core.DeploymentID, by access.Principal) (stacks.Deployment, error)
}

// CancelDeployment stops a deployment and goes back to it.
func CancelDeployment(desk DeploymentCanceller) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		d, err := desk.Cancel(r.Context(), core.DeploymentID(r.PathValue("id")), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return seeOther(w, r, saying(deploymentHref(d.ID), "cancelled"))
	})
}
