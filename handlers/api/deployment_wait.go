package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentFinder finds one deployment; NotFound "deployment.not_found".
type DeploymentFinder interface {
	Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error)
}

// answerDeployment answers with a deployment that was just asked for: 202 at once, or with
// ?wait= its state once it has ended or the time is up.
func answerDeployment(w http.ResponseWriter, r *http.Request, finder DeploymentFinder, d stacks.Deployment) error {
	d, err := heldDeployment(w, r, finder, d)
	if err != nil {
		return err
	}
	return endpoint.JSON(w, http.StatusAccepted, showDeployment(d))
}

// heldDeployment returns a deployment once it has ended or the ?wait= of the request is up.
func heldDeployment(w http.ResponseWriter, r *http.Request, finder DeploymentFinder, d stacks.Deployment) (stacks.Deployment, error) {
	return held(w, r, d, func(d stacks.Deployment) bool { return d.State.Ended() }, func(ctx context.Context) (stacks.Deployment, error) { return finder.Deployment(ctx, d.ID) })
}
