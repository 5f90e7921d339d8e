package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// CancelDeployment ends a queued deployment at once, and marks a running one: its command
// is told to stop. It returns the deployment as it is now. Conflict
// "deployment.ended" when it has ended.
func (s *Store) CancelDeployment(ctx context.Context, id core.DeploymentID, by access.Principal) (stacks.Deployment, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		d, err := deploymentByID(tx, id)
		if err != nil {
			return d, err
		}
		if d.State.Ended() {
			return d, fault.New(fault.Conflict, "deployment.ended", "The deployment has ended (%s); there is nothing to cancel.", d.State)
		}
		if err := s.audit(tx, by.Audit("deployment.cancel", string(d.Stack), string(id))); err != nil {
			return d, err
		}
		if _, err := tx.exec(`UPDATE deployments SET cancelled_by = ? WHERE id = ? AND cancelled_by = ''`, by.Name, id); err != nil {
			return d, err
		}
		if d.State == stacks.DeploymentQueued {
			return s.cancelQueued(tx, d, by)
		}
		if d.Cancelling {
			return d, nil
		}
		if err := pass(tx, transition{deployment: id, from: stacks.DeploymentRunning, to: stacks.DeploymentRunning, only: ` AND cancelling = 0`,
			at: s.now(), cause: "it is asked to stop", actor: personOf(by.Name)}, `, cancelling = 1`); err != nil {
			return d, err
		}
		return deploymentByID(tx, id)
	})
}

// cancelQueued ends a queued deployment. One that runs keeps the stack's status.
func (s *Store) cancelQueued(tx *Tx, d stacks.Deployment, by access.Principal) (stacks.Deployment, error) {
	o := stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, ErrorCode: "deployment.cancelled",
		Error: "cancelled by " + by.Name + " before it started", At: s.now(), Actor: personOf(by.Name)}
	if _, err := s.end(tx, o, nil); err != nil {
		return d, err
	}
	return deploymentByID(tx, d.ID)
}
