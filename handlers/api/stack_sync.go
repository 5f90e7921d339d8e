package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackSyncer queues deployments of a stack.
type StackSyncer interface {
	Sync(ctx context.Context, id core.StackID, by access.Principal) (stacks.Deployment, error)
	Redeploy(ctx context.Context, id core.StackID, options stacks.DeployOptions, by access.Principal) (stacks.Deployment, error)
}

// SyncStack deploys the head of the stack's branch: 202 with the deployment that covers
// the wish; with ?wait= the answer comes when that has ended.
func SyncStack(syncer StackSyncer, finder DeploymentFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		d, err := syncer.Sync(r.Context(), id, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return answerDeployment(w, r, finder, d)
	})
}

// RedeployRequest says what is made anew though nothing changed.
type RedeployRequest struct {
	RecreateContainers bool `json:"recreate_containers"`
	RecreateNetworks   bool `json:"recreate_networks"` // the stack is taken down first
	RecreateVolumes    bool `json:"recreate_volumes"`  // the stack is taken down first; what its volumes hold is deleted
}

// RedeployStack deploys the head of the stack's branch and recreates what the request says.
func RedeployStack(syncer StackSyncer, finder DeploymentFinder) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := stackID(r)
		if err != nil {
			return err
		}
		if _, err := endpoint.WaitOf(r); err != nil {
			return err
		}
		ask, err := endpoint.Decode[RedeployRequest](r)
		if err != nil {
			return err
		}
		d, err := syncer.Redeploy(r.Context(), id, stacks.DeployOptions{
			RecreateContainers: ask.RecreateContainers, RecreateNetworks: ask.RecreateNetworks, RecreateVolumes: ask.RecreateVolumes}, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return answerDeployment(w, r, finder, d)
	})
}
