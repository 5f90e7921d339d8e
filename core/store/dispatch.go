package store

import (
	"context"

	"berth/core/stacks"
)

// Dispatch stores a revision (or finds the one with its digest), the command that puts it in
// place, and the deployment's progress in one transaction. A deployment is dispatched once:
// Conflict "deployment.moved" afterwards. The stack is bound to the worker from here on;
// Conflict "stack.changed" when its name or worker are not those of the command any more.
// It returns the revision's number.
func (s *Store) Dispatch(ctx context.Context, rev stacks.Revision, cmd stacks.Command, p stacks.Progress, lines []stacks.LogLine) (int, error) {
	return write(ctx, s, func(tx *Tx) (int, error) {
		number, err := s.revise(tx, rev)
		if err == nil && cmd.Body.Revision > 0 && cmd.Body.Revision != number {
			err = errStackChanged // the revision with this digest was deleted meanwhile, and its files are under the old number
		}
		if err != nil {
			return 0, err
		}
		if err := tx.change(errDeploymentMoved, `UPDATE deployments SET commit_hash = ?, tree = ?, revision = ?, worker_id = ?, phases = ? WHERE id = ? AND state = ? AND revision = 0`,
			p.Commit, p.Tree, number, cmd.Worker, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
			return 0, err
		}
		if err := bind(tx, cmd, p); err != nil {
			return 0, err
		}
		cmd.Body.Revision = number
		if err := insertCommand(tx, cmd); err != nil {
			return 0, err
		}
		return number, appendLog(tx, lines)
	})
}

// bind ties the stack to what is dispatched. Polling has seen what a deployment of the branch's
// head is about; one that aims at something else leaves that alone. A transfer moves the stack only
// when it has succeeded.
func bind(tx *Tx, cmd stacks.Command, p stacks.Progress) error {
	d, err := deploymentByID(tx, p.Deployment)
	if err != nil {
		return err
	}
	if d.Aim.Worker != "" {
		return tx.change(errStackChanged, `UPDATE stacks SET name = name WHERE id = ? AND name = ? AND worker_id <> ?`, cmd.Stack, cmd.Body.Project, cmd.Worker)
	}
	if d.Aim.Revision > 0 {
		return tx.change(errStackChanged, `UPDATE stacks SET worker_id = ? WHERE id = ? AND name = ? AND (worker_id IS NULL OR worker_id = ?)`,
			cmd.Worker, cmd.Stack, cmd.Body.Project, cmd.Worker)
	}
	open, err := openOf(tx, cmd.Stack)
	if err != nil {
		return err
	}
	if len(open) > 1 { // what polling has seen since is queued behind it
		return tx.change(errStackChanged, `UPDATE stacks SET worker_id = ? WHERE id = ? AND name = ? AND (worker_id IS NULL OR worker_id = ?)`,
			cmd.Worker, cmd.Stack, cmd.Body.Project, cmd.Worker)
	}
	return tx.change(errStackChanged, `UPDATE stacks SET worker_id = ?, seen_commit = ?, seen_tree = ? WHERE id = ? AND name = ? AND (worker_id IS NULL OR worker_id = ?)`,
		cmd.Worker, p.Commit, p.Tree, cmd.Stack, cmd.Body.Project, cmd.Worker)
}
