package store

import (
	"context"
	"fmt"

	"berth/core/access"
	"berth/core/stacks"
)

// EndDeployment closes a deployment and its commands, moves the stack's current revision
// when it succeeded, and says when it is tried again when it failed. A deployment that has
// ended already stays as it is: the ending is empty then. One that failed after it began to change
// its host may not end yet: the command that puts the last good revision back is stored instead. What a
// command tells counts as long as that command is open: when its word comes again, what was made of it
// is not touched.
func (s *Store) EndDeployment(ctx context.Context, o stacks.Outcome, lines []stacks.LogLine) (stacks.Ending, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Ending, error) { return s.end(tx, o, lines) })
}

// end is EndDeployment inside a transaction.
func (s *Store) end(tx *Tx, o stacks.Outcome, lines []stacks.LogLine) (stacks.Ending, error) {
	var none stacks.Ending
	d, err := deploymentByID(tx, o.Deployment)
	if err != nil || d.State.Ended() {
		return none, err
	}
	if o.Command != "" {
		open, err := one(tx, nil, scalar[int], `SELECT count(*) FROM commands WHERE id = ? AND deployment_id = ? AND ended_at = 0`, o.Command, d.ID)
		if err != nil || open == 0 {
			return none, err
		}
	}
	if !s.db.Room() {
		lines = lastLines(lines)
	}
	if err := appendLog(tx, lines); err != nil {
		return none, err
	}
	if o.OnlyUnsent {
		sent, err := one(tx, nil, scalar[int], `SELECT count(*) FROM commands WHERE deployment_id = ? AND state <> ? AND ended_at = 0`, d.ID, stacks.CommandQueued)
		if err != nil || sent > 0 {
			return none, err
		}
	}
	if o.Commit != "" {
		d.Commit = o.Commit
	}
	d.Phases = o.Phases
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE deployment_id = ? AND ended_at = 0`, commandEnd(o.State), micros(o.At), d.ID); err != nil {
		return none, err
	}
	st, err := stackByID(tx, d.Stack)
	if err != nil {
		return none, err
	}
	good, err := s.restorable(tx, st, d, o)
	if err != nil {
		return none, err
	}
	if good.Number > 0 {
		return stacks.Ending{Restore: good.Number}, s.beginRestore(tx, st, d, o, good)
	}
	was := d.State
	d = stacks.Concluded(d, o)
	if err := pass(tx, transition{deployment: d.ID, from: was, to: d.State, at: o.At, cause: causeOfEnd(d, o), actor: o.Actor},
		`, commit_hash = ?, phases = ?, error_code = ?, error = ?, failed_service = ?, failed_lines = ?, restore = ?, finished_at = ?`,
		d.Commit, toJSON(list(d.Phases)), d.ErrorCode, d.Error, d.FailedService, d.FailedLines, toJSON(d.Restore), micros(o.At)); err != nil {
		return none, err
	}
	if err := s.auditEnd(tx, d, o); err != nil {
		return none, err
	}
	return stacks.Ending{Ended: true}, s.settle(tx, d, o)
}

// auditEnd takes note of what came of a deployment, and whose word that is: its worker's, or Berth's own.
func (s *Store) auditEnd(tx *Tx, d stacks.Deployment, o stacks.Outcome) error {
	by := access.System
	if o.Command != "" {
		name, err := one(tx, nil, scalar[string], `SELECT coalesce((SELECT hostname FROM workers WHERE id = ?), '')`, d.Worker)
		if err != nil {
			return err
		}
		by = access.Principal{Kind: access.KindWorker, ID: string(d.Worker), Name: name}
	}
	result := access.Failed
	if d.State == stacks.DeploymentSucceeded || d.State == stacks.DeploymentCancelled {
		result = access.Done
	}
	return s.audit(tx, by.Audit("deployment.end", string(d.Stack), fmt.Sprintf("%s: %s", d.ID, d.State)).With(result))
}

func commandEnd(state stacks.DeploymentState) stacks.CommandState {
	switch state {
	case stacks.DeploymentSucceeded, stacks.DeploymentRolledBack:
		return stacks.CommandSucceeded
	case stacks.DeploymentCancelled:
		return stacks.CommandCancelled
	}
	return stacks.CommandFailed
}
