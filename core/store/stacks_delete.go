package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// DeleteStack removes a stack. Without teardown, or when nothing was ever sent to a
// worker, the row goes at once and gone is true. Otherwise a teardown command is
// queued and the row goes when it has succeeded. Conflict "stack.busy" while a
// deployment runs; a queued one is cancelled.
func (s *Store) DeleteStack(ctx context.Context, id core.StackID, teardown, volumes bool, by access.Principal) (gone bool, err error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		st, err := stackByID(tx, id)
		if err != nil {
			return false, err
		}
		if err := s.clearForDeletion(tx, id, teardown, by); err != nil {
			return false, err
		}
		if err := s.audit(tx, by.Audit("stack.delete", string(id), st.Name)); err != nil {
			return false, err
		}
		used, err := dispatched(tx, id)
		if err != nil {
			return false, err
		}
		if !teardown || !used || st.Worker == "" {
			return true, s.removeStack(tx, id)
		}
		if st.Deleting {
			return false, nil
		}
		if err := canTearDown(tx, st.Worker); err != nil {
			return false, err
		}
		if _, err := tx.exec(`UPDATE stacks SET deleting = 1, status = ?, updated_at = ? WHERE id = ?`, stacks.StatusPending, micros(s.now()), id); err != nil {
			return false, err
		}
		now := s.now()
		return false, insertCommand(tx, stacks.Command{
			ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: st.Worker, Kind: stacks.CommandTeardown, Stack: id,
			State: stacks.CommandQueued, Body: stacks.CommandBody{Project: st.ProjectName(), Volumes: volumes, Seconds: int(stacks.DefaultTimeout.Seconds())}, CreatedAt: now,
		})
	})
}

// canTearDown refuses a worker that will never connect again.
func canTearDown(tx *Tx, id core.WorkerID) error {
	w, err := workerByID(tx, id)
	if err == nil && w.Revoked {
		err = fault.New(fault.Conflict, "worker.revoked",
			"Worker %s was revoked, so it cannot take the stack's containers down. Delete the stack without teardown, and remove its containers on the host.", w.Hostname)
	}
	return err
}

// clearForDeletion cancels a queued deployment and refuses while one runs, or while what is left on
// another worker is to be taken down too and was not yet.
func (s *Store) clearForDeletion(tx *Tx, id core.StackID, teardown bool, by access.Principal) error {
	leaving, err := many(tx, scalar[string], `SELECT w.hostname FROM commands c JOIN workers w ON w.id = c.worker_id JOIN stacks s ON s.id = c.stack_id
		WHERE c.stack_id = ? AND c.kind = 'teardown' AND c.ended_at = 0 AND s.deleting = 0 ORDER BY c.id LIMIT 1`, id)
	if err != nil {
		return err
	}
	if teardown && len(leaving) > 0 {
		return fault.New(fault.Conflict, "stack.busy",
			"The stack was moved, and its containers on worker %s were not taken down yet. Wait for that worker, or delete the stack without teardown and remove its containers there by hand.", leaving[0])
	}
	running, err := beingDeployed(tx, id)
	if err != nil {
		return err
	}
	if running {
		return fault.New(fault.Conflict, "stack.busy", "A deployment of this stack is running. Wait for it or cancel it, then delete the stack.")
	}
	// The identifier is enough: a row that cannot be read must not keep its stack from being deleted.
	queued, err := many(tx, scalar[core.DeploymentID], `SELECT id FROM deployments WHERE stack_id = ? AND state = ? ORDER BY id LIMIT 1`, id, stacks.DeploymentQueued)
	if err != nil || len(queued) == 0 {
		return err
	}
	at := s.now()
	return pass(tx, transition{deployment: queued[0], from: stacks.DeploymentQueued, to: stacks.DeploymentCancelled, at: at,
		cause: "the stack is being deleted", actor: personOf(by.Name)}, `, finished_at = ?`, micros(at))
}

// removeStack deletes the row, its variables and, by cascade, all that hangs on it.
func (s *Store) removeStack(tx *Tx, id core.StackID) error {
	if err := s.dropProposal(tx, string(id)); err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM variables WHERE scope = 'stack' AND scope_id = ?`,
		`DELETE FROM variable_bindings WHERE scope = 'stack' AND scope_id = ?`,
		`DELETE FROM commands WHERE stack_id = ?`,
	} {
		if _, err := tx.exec(query, id); err != nil {
			return err
		}
	}
	return tx.change(errStackMissing, `DELETE FROM stacks WHERE id = ?`, id)
}
