package store

import (
	"context"
	"fmt"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

var (
	errDeploymentMissing = fault.New(fault.NotFound, "deployment.not_found", "There is no such deployment.")
	errStackChanged      = fault.New(fault.Conflict, "stack.changed", "The stack was renamed or assigned anew while it was being rendered; it is rendered again.")
	errDeploymentMoved   = fault.New(fault.Conflict, "deployment.moved", "The deployment has moved on meanwhile; read it again.")
)

const deploymentColumns = `id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases,
	error_code, error, tree, cancelling, queued_at, started_at, finished_at`

func scanDeployment(row scanner) (stacks.Deployment, error) {
	var d stacks.Deployment
	var queued, started, finished int64
	err := row.Scan(&d.ID, &d.Stack, &d.State, &d.Trigger, &d.Actor, &d.Commit, &d.Revision, &d.Worker, jsonInto{&d.Options}, jsonInto{&d.Phases},
		&d.ErrorCode, &d.Error, &d.Tree, &d.Cancelling, &queued, &started, &finished)
	d.QueuedAt, d.StartedAt, d.FinishedAt = fromMicros(queued), fromMicros(started), fromMicros(finished)
	return d, err
}

// Deployment returns one deployment; NotFound "deployment.not_found".
func (s *Store) Deployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Deployment, error) { return deploymentByID(tx, id) })
}

func deploymentByID(tx *Tx, id core.DeploymentID) (stacks.Deployment, error) {
	return one(tx, errDeploymentMissing, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE id = ?`, id)
}

// Deployments lists the deployments of a stack, or of all when stack is empty, newest first.
func (s *Store) Deployments(ctx context.Context, stack core.StackID, ask core.Page) (core.List[stacks.Deployment], error) {
	where, args := `WHERE id < ?`, []any{before(ask.After)}
	if stack != "" {
		where, args = `WHERE stack_id = ? AND id < ?`, []any{stack, before(ask.After)}
	}
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Deployment], error) {
		items, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments `+where+` ORDER BY id DESC LIMIT ?`, append(args, ask.Limit+1)...)
		return page(items, ask, func(d stacks.Deployment) string { return string(d.ID) }), err
	})
}

// before is the cursor of a list that runs from new to old; no cursor is after every identifier.
func before(cursor string) string {
	if cursor == "" {
		return "~"
	}
	return cursor
}

// OpenDeployments returns every deployment that is queued or running, oldest first.
func (s *Store) OpenDeployments(ctx context.Context) ([]stacks.Deployment, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Deployment, error) {
		return many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE state IN ('queued', 'running') ORDER BY id LIMIT ?`, maxStacks)
	})
}

// QueueDeployment stores the wish for a deployment: one transaction with decision, audit
// and the stack's status. The returned deployment is the one that covers the wish.
func (s *Store) QueueDeployment(ctx context.Context, ask stacks.Ask, by access.Principal) (stacks.Deployment, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		d, err := s.queue(tx, ask)
		if err == nil && by.Kind != access.KindSystem {
			err = s.audit(tx, by.Audit("stack."+verb(ask.Trigger), string(ask.Stack), string(d.ID)))
		}
		return d, err
	})
}

// QueueAll queues what polling decided on, in one commit; a stack that went away
// meanwhile is passed over.
func (s *Store) QueueAll(ctx context.Context, asks []stacks.Ask) error {
	if len(asks) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *Tx) error {
		for _, ask := range asks {
			_, err := s.queue(tx, ask)
			if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
				return err
			}
		}
		return nil
	})
}

// verb names what a person did, for the audit.
func verb(t stacks.Trigger) string {
	if t == stacks.TriggerRedeploy || t == stacks.TriggerRollback || t == stacks.TriggerTransfer {
		return string(t)
	}
	return "sync"
}

// queue is QueueDeployment inside a transaction.
func (s *Store) queue(tx *Tx, ask stacks.Ask) (stacks.Deployment, error) {
	st, err := stackByID(tx, ask.Stack)
	if err != nil {
		return stacks.Deployment{}, err
	}
	if st.Deleting {
		return stacks.Deployment{}, errStackDeleting
	}
	open, err := openOf(tx, ask.Stack)
	if err != nil {
		return stacks.Deployment{}, err
	}
	d, covered, fresh := stacks.Cover(open, ask)
	now := s.now()
	if fresh {
		d.ID, d.QueuedAt = core.DeploymentID(core.NewID(core.PrefixDeployment, now)), fromMicros(micros(now))
		err = insertDeployment(tx, d)
	} else if d.State == stacks.DeploymentQueued {
		err = tx.change(errDeploymentMoved, `UPDATE deployments SET commit_hash = ?, options = ? WHERE id = ? AND state = ?`,
			d.Commit, toJSON(d.Options), d.ID, stacks.DeploymentQueued)
	}
	if err != nil {
		return d, err
	}
	if err := s.decide(tx, ask, d.ID, ask.Reason+covered, now); err != nil {
		return d, err
	}
	return d, s.expect(tx, st, ask, len(open) == 0, now)
}

// expect notes on the stack that a deployment will come: it is pending unless one runs
// already, nothing is to be tried again later, and a wish from outside starts the count
// of failures anew.
func (s *Store) expect(tx *Tx, st stacks.Stack, ask stacks.Ask, first bool, now time.Time) error {
	if first {
		st.Status = stacks.StatusPending
	}
	if !ask.Retry {
		st.Retries = 0
	}
	_, err := tx.exec(`UPDATE stacks SET status = ?, retries = ?, retry_at = 0, updated_at = ? WHERE id = ?`, st.Status, st.Retries, micros(now), st.ID)
	return err
}

// openOf returns the deployments of a stack that have not ended: at most one that runs and
// one that is queued.
func openOf(tx *Tx, stack core.StackID) ([]stacks.Deployment, error) {
	return many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE stack_id = ? AND state IN ('queued', 'running') ORDER BY id LIMIT 2`, stack)
}

func insertDeployment(tx *Tx, d stacks.Deployment) error {
	return tx.insert(errDeploymentMoved, `INSERT INTO deployments (`+deploymentColumns+`) VALUES (?, ?, ?, ?, ?, ?, 0, '', ?, '[]', '', '', '', 0, ?, 0, 0)`,
		d.ID, d.Stack, d.State, d.Trigger, d.Actor, d.Commit, toJSON(d.Options), micros(d.QueuedAt))
}

// QueueRetries queues the deployments that are due to be tried again, in one commit. Stacks
// whose automatic sync was switched off since, or that are being deleted, stay as they are.
func (s *Store) QueueRetries(ctx context.Context) (queued int, err error) {
	due, err := read(ctx, s, func(tx *Tx) ([]stacks.Stack, error) {
		return many(tx, scanStack, `SELECT `+stackColumns+` FROM stacks WHERE retry_at > 0 AND retry_at <= ? AND auto_sync = 1 AND deleting = 0 ORDER BY retry_at LIMIT 100`, micros(s.now()))
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	asks := make([]stacks.Ask, len(due))
	for i, st := range due {
		asks[i] = stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerPoll, Actor: "system", Retry: true,
			Reason: fmt.Sprintf("tried again after a failure, time %d", st.Retries)}
	}
	return len(asks), s.QueueAll(ctx, asks)
}

// StartDeployment moves a queued deployment to running; Conflict when it is not queued any more.
func (s *Store) StartDeployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		now := micros(s.now())
		// Another deployment of the stack that still runs violates a unique index.
		n, err := tx.exec(`UPDATE deployments SET state = ?, started_at = ?, commit_hash = '' WHERE id = ? AND state = ?`, stacks.DeploymentRunning, now, id, stacks.DeploymentQueued)
		if err == nil && n == 0 || err != nil && tx.dialect.Duplicate(err) {
			return stacks.Deployment{}, errDeploymentMoved
		}
		if err != nil {
			return stacks.Deployment{}, err
		}
		d, err := deploymentByID(tx, id)
		if err != nil {
			return d, err
		}
		_, err = tx.exec(`UPDATE stacks SET status = ?, updated_at = ? WHERE id = ?`, stacks.StatusSyncing, now, d.Stack)
		return d, err
	})
}

// SaveProgress stores commit and phases of running deployments and lines of their logs in
// one commit. Deployments that have ended keep what they ended with. Revision and worker are
// Dispatch's alone: they say that a command exists.
func (s *Store) SaveProgress(ctx context.Context, progress []stacks.Progress, lines []stacks.LogLine) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		for _, p := range progress {
			if _, err := tx.exec(`UPDATE deployments SET commit_hash = ?, phases = ? WHERE id = ? AND state = ?`,
				p.Commit, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
				return err
			}
		}
		return appendLog(tx, lines)
	})
}

// Dispatch stores a revision (or finds the one with its digest), the command that puts it in
// place, and the deployment's progress in one transaction. A deployment is dispatched once:
// Conflict "deployment.moved" afterwards. The stack is bound to the worker from here on;
// Conflict "stack.changed" when its name or worker are not those of the command any more.
// It returns the revision's number.
func (s *Store) Dispatch(ctx context.Context, rev stacks.Revision, cmd stacks.Command, p stacks.Progress, lines []stacks.LogLine) (int, error) {
	return write(ctx, s, func(tx *Tx) (int, error) {
		number, err := s.revise(tx, rev)
		if err != nil {
			return 0, err
		}
		if err := tx.change(errDeploymentMoved, `UPDATE deployments SET commit_hash = ?, tree = ?, revision = ?, worker_id = ?, phases = ? WHERE id = ? AND state = ? AND revision = 0`,
			p.Commit, p.Tree, number, cmd.Worker, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
			return 0, err
		}
		if err := tx.change(errStackChanged, `UPDATE stacks SET worker_id = ?, seen_commit = ?, seen_tree = ? WHERE id = ? AND name = ? AND (worker_id IS NULL OR worker_id = ?)`,
			cmd.Worker, p.Commit, p.Tree, cmd.Stack, cmd.Body.Project, cmd.Worker); err != nil {
			return 0, err
		}
		cmd.Body.Revision = number
		if err := insertCommand(tx, cmd); err != nil {
			return 0, err
		}
		return number, appendLog(tx, lines)
	})
}

// EndDeployment closes a deployment and its commands, moves the stack's current revision
// when it succeeded, and says when it is tried again when it failed. A deployment that has
// ended already stays as it is: done is false then.
func (s *Store) EndDeployment(ctx context.Context, o stacks.Outcome, lines []stacks.LogLine) (done bool, err error) {
	return write(ctx, s, func(tx *Tx) (bool, error) { return s.end(tx, o, lines) })
}

// end is EndDeployment inside a transaction.
func (s *Store) end(tx *Tx, o stacks.Outcome, lines []stacks.LogLine) (done bool, err error) {
	d, err := deploymentByID(tx, o.Deployment)
	if err != nil || d.State.Ended() {
		return false, err
	}
	if err := appendLog(tx, lines); err != nil {
		return false, err
	}
	if o.OnlyUnsent {
		sent, err := one(tx, nil, scalar[int], `SELECT count(*) FROM commands WHERE deployment_id = ? AND state <> ? AND ended_at = 0`, d.ID, stacks.CommandQueued)
		if err != nil || sent > 0 {
			return false, err
		}
	}
	if o.Commit != "" {
		d.Commit = o.Commit
	}
	d.State = o.State
	at := micros(o.At)
	if err := tx.change(errDeploymentMoved, `UPDATE deployments SET state = ?, commit_hash = ?, phases = ?, error_code = ?, error = ?, finished_at = ? WHERE id = ? AND state IN ('queued', 'running')`,
		d.State, d.Commit, toJSON(list(o.Phases)), o.ErrorCode, o.Error, at, d.ID); err != nil {
		return false, err
	}
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE deployment_id = ? AND ended_at = 0`, commandEnd(o.State), at, d.ID); err != nil {
		return false, err
	}
	return true, s.settle(tx, d, o)
}

func commandEnd(state stacks.DeploymentState) stacks.CommandState {
	switch state {
	case stacks.DeploymentSucceeded:
		return stacks.CommandSucceeded
	case stacks.DeploymentCancelled:
		return stacks.CommandCancelled
	}
	return stacks.CommandFailed
}

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
		if d.State == stacks.DeploymentQueued {
			return s.cancelQueued(tx, d, by)
		}
		if err := tx.change(errDeploymentMoved, `UPDATE deployments SET cancelling = 1 WHERE id = ? AND state = ?`, id, stacks.DeploymentRunning); err != nil {
			return d, err
		}
		return deploymentByID(tx, id)
	})
}

// cancelQueued ends a queued deployment. One that runs keeps the stack's status.
func (s *Store) cancelQueued(tx *Tx, d stacks.Deployment, by access.Principal) (stacks.Deployment, error) {
	o := stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, ErrorCode: "deployment.cancelled",
		Error: "cancelled by " + by.Name + " before it started", At: s.now()}
	if _, err := s.end(tx, o, nil); err != nil {
		return d, err
	}
	return deploymentByID(tx, d.ID)
}
