package store

import (
	"context"
	"time"

	"berth/core/repositories"
	"berth/core/stacks"
)

// statusOf is what a Git host is told of a deployment in a state; empty: nothing new.
func statusOf(state stacks.DeploymentState) repositories.StatusState {
	switch state {
	case stacks.DeploymentRunning:
		return repositories.StatusPending
	case stacks.DeploymentSucceeded:
		return repositories.StatusSuccess
	case stacks.DeploymentFailed, stacks.DeploymentRolledBack:
		return repositories.StatusFailure
	case stacks.DeploymentCancelled, stacks.DeploymentSuperseded, stacks.DeploymentLost:
		return repositories.StatusError
	}
	return ""
}

// noteStatus has a repository's Git host told of a transition, where that is asked for. Of a deployment that never
// began nothing is told.
func noteStatus(tx *Tx, t transition) error {
	state := statusOf(t.to)
	if state == "" {
		return nil
	}
	if state != repositories.StatusPending {
		_, err := tx.exec(`UPDATE commit_statuses SET state = ?, attempts = 0, next_at = ? WHERE deployment_id = ?`, state, micros(t.at), t.deployment)
		return err
	}
	wanted, err := many(tx, scalar[string], `SELECT r.statuses FROM deployments d JOIN stacks s ON s.id = d.stack_id JOIN repositories r ON r.id = s.repository_id WHERE d.id = ?`, t.deployment)
	if err != nil || len(wanted) == 0 || wanted[0] == "" {
		return err
	}
	_, err = tx.exec(`INSERT INTO commit_statuses (deployment_id, state, attempts, next_at) VALUES (?, ?, 0, ?)
		ON CONFLICT (deployment_id) DO UPDATE SET state = excluded.state, attempts = 0, next_at = excluded.next_at`, t.deployment, state, micros(t.at))
	return err
}

// ClaimStatuses takes statuses that are due and whose commit is known, or never will be, at most limit, until a time: nobody else takes them before. What is due is
// looked for without a write: most of the time nothing is.
func (s *Store) ClaimStatuses(ctx context.Context, limit int, until time.Time) ([]repositories.CommitStatus, error) {
	due, err := read(ctx, s, func(tx *Tx) ([]repositories.CommitStatus, error) {
		return many(tx, func(row scanner) (c repositories.CommitStatus, err error) {
			return c, row.Scan(&c.Deployment, &c.State, &c.Attempts, &c.Commit, &c.Stack, &c.Repository.ID)
		}, `SELECT c.deployment_id, c.state, c.attempts + 1, d.commit_hash, s.name, s.repository_id FROM commit_statuses c
			JOIN deployments d ON d.id = c.deployment_id JOIN stacks s ON s.id = d.stack_id
			WHERE c.next_at > 0 AND c.next_at <= ? AND (d.commit_hash <> '' OR c.state <> 'pending') ORDER BY c.next_at, c.deployment_id LIMIT ?`, micros(s.now()), limit)
	})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return write(ctx, s, func(tx *Tx) (claimed []repositories.CommitStatus, err error) {
		claimed = nil
		for _, c := range due {
			n, err := tx.exec(`UPDATE commit_statuses SET attempts = ?, next_at = ? WHERE deployment_id = ? AND state = ? AND attempts = ?`, c.Attempts, micros(until), c.Deployment, c.State, c.Attempts-1)
			if err != nil {
				return nil, err
			}
			if n == 0 {
				continue // it has changed, or another has it
			}
			if c.Repository, err = repositoryByID(tx, c.Repository.ID); err != nil {
				return nil, err
			}
			claimed = append(claimed, c)
		}
		return claimed, nil
	})
}

// SettleStatus stores what came of telling a status: it arrived (no problem, and next is zero), is told again at next, or is given
// up (a problem, and next is zero). A newer state of the deployment is not touched by that.
func (s *Store) SettleStatus(ctx context.Context, c repositories.CommitStatus, problem string, next time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		var err error
		switch {
		case !next.IsZero():
			_, err = tx.exec(`UPDATE commit_statuses SET next_at = ? WHERE deployment_id = ? AND state = ? AND attempts = ?`, micros(next), c.Deployment, c.State, c.Attempts)
		case c.State == repositories.StatusPending: // its end is to be told
			_, err = tx.exec(`UPDATE commit_statuses SET next_at = 0 WHERE deployment_id = ? AND state = ?`, c.Deployment, c.State)
		default:
			_, err = tx.exec(`DELETE FROM commit_statuses WHERE deployment_id = ? AND state = ?`, c.Deployment, c.State)
		}
		if err != nil || problem == "" && (!next.IsZero() || c.Repository.StatusTrouble.Text == "") {
			return err
		}
		at := int64(0)
		if problem != "" {
			at = micros(s.now())
		}
		_, err = tx.exec(`UPDATE repositories SET statuses_problem = ?, statuses_problem_at = ? WHERE id = ?`, problem, at, c.Repository.ID)
		return err
	})
}
