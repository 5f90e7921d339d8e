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

// SyncStack deploys the head of the stack's branch.
func SyncStack(syncer StackSyncer, finder DeploymentFinder) http.Handler {
	return askFor(nothing, finder, func(r *http.Request, id core.StackID, _ struct{}) (stacks.Deployment, error) {
		return syncer.Sync(r.Context(), id, endpoint.Principal(r.Context()))
	})
}

// RedeployRequest says what is made anew though nothing changed; without a body nothing is.
type RedeployRequest struct {
	RecreateContainers bool `json:"recreate_containers"`
	RecreateNetworks   bool `json:"recreate_networks"` // the stack is taken down first
	RecreateVolumes    bool `json:"recreate_volumes"`  // the stack is taken down first; what its volumes hold is deleted
}

// RedeployStack deploys the head of the stack's branch and recreates what the request says.
func RedeployStack(syncer StackSyncer, finder DeploymentFinder) http.Handler {
	return askFor(endpoint.DecodeOptional[RedeployRequest], finder, func(r *http.Request, id core.StackID, want RedeployRequest) (stacks.Deployment, error) {
		return syncer.Redeploy(r.Context(), id, stacks.DeployOptions{
			RecreateContainers: want.RecreateContainers, RecreateNetworks: want.RecreateNetworks, RecreateVolumes: want.RecreateVolumes}, endpoint.Principal(r.Context()))
	})
}
