package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// StackMover moves stacks between workers. Invalid "stack.transfer" names why one cannot move.
type StackMover interface {
	Transfer(ctx context.Context, id core.StackID, worker core.WorkerID, by access.Principal) (stacks.Deployment, error)
}

// TransferRequest names the worker that a stack moves to.
type TransferRequest struct {
	WorkerID core.WorkerID `json:"worker_id" required:"yes"` // another one than the stack's own, on another container engine
}

// TransferStack puts a stack in place on another worker, verifies it there, and then takes it
// down on the one where it ran. Volumes do not move.
func TransferStack(mover StackMover, finder DeploymentFinder) http.Handler {
	return askFor(endpoint.Decode[TransferRequest], finder, func(r *http.Request, id core.StackID, want TransferRequest) (stacks.Deployment, error) {
		return mover.Transfer(r.Context(), id, want.WorkerID, endpoint.Principal(r.Context()))
	})
}
