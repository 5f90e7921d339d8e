package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentLister lists deployments, newest first.
type DeploymentLister interface {
	Deployments(ctx context.Context, f stacks.DeploymentFilter, page core.Page) (core.List[stacks.Deployment], error)
}

// ListDeployments answers with a page of a stack's deployments, newest first, narrowed by state.
func ListDeployments(finder StackFinder, lister DeploymentLister) http.Handler {
	return listOfStack(finder, func(r *http.Request, id core.StackID, page core.Page) (core.List[stacks.Deployment], error) {
		return lister.Deployments(r.Context(), stacks.DeploymentFilter{Stack: id, State: stacks.DeploymentState(r.URL.Query().Get("state"))}, page)
	}, showDeployment)
}

// GetDeployment answers with one deployment; with ?wait= once it has ended or the time is up.
func GetDeployment(reader DeploymentReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		d, err := reader.Deployment(r.Context(), id)
		if err != nil {
			return err
		}
		if d, err = heldDeployment(w, r, reader, d); err != nil {
			return err
		}
		answer, err := detail(r.Context(), reader, d)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// DeploymentCanceller stops deployments.
type DeploymentCanceller interface {
	Cancel(ctx context.Context, id core.DeploymentID, by access.Principal) (stacks.Deployment, error)
}

// CancelDeployment stops a deployment: 202 with the deployment, which has ended once what
// it was doing has stopped.
func CancelDeployment(canceller DeploymentCanceller, finder DeploymentFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		d, err := canceller.Cancel(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return answerDeployment(w, r, finder, d)
	})
}
