package store

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

var (
	errDeploymentMissing = fault.New(fault.NotFound, "deployment.not_found", "There is no such deployment.")
	errStackChanged      = fault.New(fault.Conflict, "stack.changed", "The stack was renamed or assigned anew while it was being rendered; it is rendered again.")
	errDeploymentMoved   = fault.New(fault.Conflict, "deployment.moved", "The deployment has moved on meanwhile; read it again.")
)

const deploymentColumns = `id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases,
	error_code, error, failed_service, failed_lines, aim, restore, tree, cancelling, cancelled_by, retry_of, attempt, queued_at, started_at, finished_at`

func scanDeployment(row scanner) (stacks.Deployment, error) {
	var d stacks.Deployment
	var queued, started, finished int64
	err := row.Scan(&d.ID, &d.Stack, &d.State, &d.Trigger, &d.Actor, &d.Commit, &d.Revision, &d.Worker, jsonInto{&d.Options}, jsonInto{&d.Phases},
		&d.ErrorCode, &d.Error, &d.FailedService, &d.FailedLines, jsonInto{&d.Aim}, jsonInto{&d.Restore}, &d.Tree, &d.Cancelling, &d.CancelledBy, &d.RetryOf, &d.Attempt, &queued, &started, &finished)
	d.QueuedAt, d.StartedAt, d.FinishedAt = fromMicros(queued), fromMicros(started), fromMicros(finished)
	return d, legible("deployment", string(d.ID), err)
}

// Deployment returns one deployment; NotFound "deployment.not_found".
func (s *Store) Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Deployment, error) { return deploymentByID(tx, id) })
}

func deploymentByID(tx *Tx, id core.DeploymentID) (stacks.Deployment, error) {
	return one(tx, errDeploymentMissing, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE id = ?`, id)
}

// Deployments lists the deployments that fit the filter, newest first. Those that cannot be read are left out
// and named.
func (s *Store) Deployments(ctx context.Context, f stacks.DeploymentFilter, ask core.Page) (core.List[stacks.Deployment], error) {
	where, args := `WHERE id < ?`, []any{before(ask.After)}
	switch {
	case f.Stack != "": // of which there are few enough to look for a state among them
		where, args = where+` AND stack_id = ? AND (? = '' OR state = ?)`, append(args, f.Stack, f.State, f.State)
	case f.State != "" && f.State.Ended():
		where, args = where+` AND state = ? AND state NOT IN ('queued', 'running')`, append(args, f.State)
	case f.State != "": // there are no more than are open
		where, args = where+` AND id IN (SELECT id FROM deployments WHERE state IN ('queued', 'running') AND state = ?)`, append(args, f.State)
	}
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Deployment], error) {
		return pageLegible(tx, ask, func(d stacks.Deployment) string { return string(d.ID) }, scanDeployment,
			`SELECT `+deploymentColumns+` FROM deployments `+where+` ORDER BY id DESC LIMIT ?`, append(args, ask.Limit+1)...)
	})
}

// before is the cursor of a list that runs from new to old; no cursor is after every identifier.
func before(cursor string) string {
	if cursor == "" {
		return "~"
	}
	return cursor
}

// OpenDeployments returns every deployment that is queued or running, oldest first. Those that
// cannot be read are left out and named in the error, "store.unreadable".
func (s *Store) OpenDeployments(ctx context.Context) ([]stacks.Deployment, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Deployment, error) {
		return manyLegible(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE state IN ('queued', 'running') ORDER BY id LIMIT ?`, maxStacks)
	})
}

// StartDeployment moves a queued deployment to running; Conflict when it is not queued any more.
func (s *Store) StartDeployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	return writeNew(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		// Who comes second, while another starts or cancels it, does not wait for that.
		if _, err := one(tx, errDeploymentMoved, scalar[string], `SELECT id FROM deployments WHERE id = ? AND state = ?`+tx.dialect.Claim, id, stacks.DeploymentQueued); err != nil {
			return stacks.Deployment{}, err
		}
		now := s.now()
		err := pass(tx, transition{deployment: id, from: stacks.DeploymentQueued, to: stacks.DeploymentRunning, at: now, cause: "its turn has come"},
			`, started_at = ?, commit_hash = ''`, micros(now))
		if err != nil && tx.dialect.Duplicate(err) { // another deployment of the stack still runs
			err = errDeploymentMoved
		}
		if err != nil {
			return stacks.Deployment{}, err
		}
		d, err := deploymentByID(tx, id)
		if err != nil {
			return d, err
		}
		_, err = tx.exec(`UPDATE stacks SET status = ?, updated_at = ? WHERE id = ?`, stacks.StatusSyncing, micros(now), d.Stack)
		return d, err
	})
}

// SaveProgress stores commit, phases and what was heard of running deployments and lines of their logs in
// one commit. Deployments that have ended keep what they ended with. Revision and worker are
// Dispatch's alone: they say that a command exists. A full disk keeps its last room for how deployments
// end: Unavailable "store.disk_full" then.
func (s *Store) SaveProgress(ctx context.Context, progress []stacks.Progress, lines []stacks.LogLine) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		for _, p := range progress {
			if _, err := tx.exec(`UPDATE deployments SET commit_hash = ?, phases = ? WHERE id = ? AND state = ?`,
				p.Commit, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
				return err
			}
			if p.Heard.Command == "" { // whoever prepares a deployment hears nothing
				continue
			}
			if _, err := tx.exec(`UPDATE deployments SET heard_command = ?, heard_attempt = ?, heard_event = ? WHERE id = ? AND state = ?`,
				p.Heard.Command, p.Heard.Attempt, int64(p.Heard.Event), p.Deployment, stacks.DeploymentRunning); err != nil {
				return err
			}
		}
		return appendLog(tx, lines)
	})
}
