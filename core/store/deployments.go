package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

var (
	errDeploymentMissing = fault.New(fault.NotFound, "deployment.not_found", "There is no such deployment.")
	errDeploymentMoved   = fault.New(fault.Conflict, "deployment.moved", "The deployment has moved on meanwhile; read it again.")
)

const deploymentColumns = `id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases,
	error_code, error, again, again_commit, cancelling, queued_at, started_at, finished_at`

func scanDeployment(row scanner) (stacks.Deployment, error) {
	var d stacks.Deployment
	var queued, started, finished int64
	err := row.Scan(&d.ID, &d.Stack, &d.State, &d.Trigger, &d.Actor, &d.Commit, &d.Revision, &d.Worker, jsonInto{&d.Options}, jsonInto{&d.Phases},
		&d.ErrorCode, &d.Error, &d.Again, &d.AgainCommit, &d.Cancelling, &queued, &started, &finished)
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
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Deployment], error) {
		items, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments
			WHERE (? = '' OR stack_id = ?) AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`, stack, stack, ask.After, ask.After, ask.Limit+1)
		return page(items, ask, func(d stacks.Deployment) string { return string(d.ID) }), err
	})
}

// OpenDeployments returns every deployment that is queued or running, oldest first.
func (s *Store) OpenDeployments(ctx context.Context) ([]stacks.Deployment, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.Deployment, error) {
		return many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE state IN ('queued', 'running') ORDER BY id LIMIT ?`, maxStacks)
	})
}

// QueueDeployment stores the wish for a deployment: one transaction with decision, audit
// and the stack's status. One deployment is open per stack: a queued one already
// covers the wish, a running one is told to be followed by another. The returned
// deployment is the one that covers the wish, or precedes the one that will.
func (s *Store) QueueDeployment(ctx context.Context, ask stacks.Ask, by access.Principal) (stacks.Deployment, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		d, fresh, err := s.queue(tx, ask)
		if err == nil && fresh && by.Kind != access.KindSystem {
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
			_, _, err := s.queue(tx, ask)
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

// queue is QueueDeployment inside a transaction; fresh reports whether a row was made.
func (s *Store) queue(tx *Tx, ask stacks.Ask) (d stacks.Deployment, fresh bool, err error) {
	st, err := stackByID(tx, ask.Stack)
	if err != nil {
		return d, false, err
	}
	if st.Deleting {
		return d, false, errStackDeleting
	}
	open, err := many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE stack_id = ? AND state IN ('queued', 'running') LIMIT 1`, ask.Stack)
	if err != nil {
		return d, false, err
	}
	now := s.now()
	if len(open) == 1 {
		return s.coalesce(tx, open[0], ask, now)
	}
	d = stacks.Deployment{
		ID: core.DeploymentID(core.NewID(core.PrefixDeployment, now)), Stack: ask.Stack, State: stacks.DeploymentQueued,
		Trigger: ask.Trigger, Actor: ask.Actor, Commit: ask.Commit, Options: ask.Options, QueuedAt: fromMicros(micros(now)), Phases: []stacks.Phase{},
	}
	_, err = tx.exec(`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases,
		error_code, error, again, again_commit, cancelling, queued_at, started_at, finished_at)
		VALUES (?, ?, ?, ?, ?, ?, 0, '', ?, '[]', '', '', 0, '', 0, ?, 0, 0)`,
		d.ID, d.Stack, d.State, d.Trigger, d.Actor, d.Commit, toJSON(d.Options), micros(now))
	if err != nil {
		return d, false, err
	}
	if err := s.decide(tx, ask, d.ID, ask.Reason, now); err != nil {
		return d, false, err
	}
	_, err = tx.exec(`UPDATE stacks SET status = ?, updated_at = ? WHERE id = ?`, stacks.StatusPending, micros(now), ask.Stack)
	return d, true, err
}

// coalesce lets an open deployment cover a new wish.
func (s *Store) coalesce(tx *Tx, open stacks.Deployment, ask stacks.Ask, now time.Time) (stacks.Deployment, bool, error) {
	reason := ask.Reason + "; covered by the deployment that is queued"
	if open.State == stacks.DeploymentRunning && (ask.Commit == "" || ask.Commit != open.Commit) {
		reason = ask.Reason + "; follows the deployment that is running, if that is of another commit"
		if !open.Again || ask.Commit != "" && open.AgainCommit != "" {
			open.AgainCommit = ask.Commit
		} else {
			open.AgainCommit = ""
		}
		open.Again = true
	}
	merged := open.Options
	merged.RecreateContainers = merged.RecreateContainers || ask.Options.RecreateContainers
	merged.RecreateVolumes = merged.RecreateVolumes || ask.Options.RecreateVolumes
	merged.RecreateNetworks = merged.RecreateNetworks || ask.Options.RecreateNetworks
	open.Options = merged
	if _, err := tx.exec(`UPDATE deployments SET again = ?, again_commit = ?, options = ? WHERE id = ?`, open.Again, open.AgainCommit, toJSON(merged), open.ID); err != nil {
		return open, false, err
	}
	return open, false, s.decide(tx, ask, open.ID, reason, now)
}

// StartDeployment moves a queued deployment to running; Conflict when it is not queued any more.
func (s *Store) StartDeployment(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		now := micros(s.now())
		if err := tx.change(errDeploymentMoved, `UPDATE deployments SET state = ?, started_at = ? WHERE id = ? AND state = ?`,
			stacks.DeploymentRunning, now, id, stacks.DeploymentQueued); err != nil {
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

// SaveProgress stores the progress of running deployments and lines of their logs in one
// commit. Deployments that have ended keep what they ended with.
func (s *Store) SaveProgress(ctx context.Context, progress []stacks.Progress, lines []stacks.LogLine) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		for _, p := range progress {
			if _, err := tx.exec(`UPDATE deployments SET commit_hash = ?, revision = ?, worker_id = ?, phases = ? WHERE id = ? AND state = ?`,
				p.Commit, p.Revision, p.Worker, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
				return err
			}
		}
		return appendLog(tx, lines)
	})
}

// Dispatch stores a revision (or finds the one with its digest), the command that puts it in
// place, and the deployment's progress in one transaction. A deployment is dispatched once:
// Conflict "deployment.moved" afterwards. The stack is bound to the
// worker from here on. It returns the revision's number.
func (s *Store) Dispatch(ctx context.Context, rev stacks.Revision, cmd stacks.Command, p stacks.Progress, lines []stacks.LogLine) (int, error) {
	return write(ctx, s, func(tx *Tx) (int, error) {
		number, err := s.revise(tx, rev)
		if err != nil {
			return 0, err
		}
		if err := tx.change(errDeploymentMoved, `UPDATE deployments SET commit_hash = ?, revision = ?, worker_id = ?, phases = ? WHERE id = ? AND state = ? AND revision = 0`,
			p.Commit, number, cmd.Worker, toJSON(list(p.Phases)), p.Deployment, stacks.DeploymentRunning); err != nil {
			return 0, err
		}
		if _, err := tx.exec(`UPDATE stacks SET worker_id = ?, seen_commit = ?, seen_tree = ? WHERE id = ?`, cmd.Worker, p.Commit, p.Tree, cmd.Stack); err != nil {
			return 0, err
		}
		cmd.Body.Revision = number
		if err := insertCommand(tx, cmd); err != nil {
			return 0, err
		}
		return number, appendLog(tx, lines)
	})
}

// EndDeployment closes a running deployment, its commands, moves the stack's current
// revision when it succeeded, and queues the next deployment when one was asked for
// meanwhile. A deployment that has ended already stays as it is: done is false then.
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
	at := micros(o.At)
	if o.Commit != "" {
		d.Commit = o.Commit
	}
	if _, err := tx.exec(`UPDATE deployments SET state = ?, commit_hash = ?, phases = ?, error_code = ?, error = ?, finished_at = ?, again = 0 WHERE id = ?`,
		o.State, d.Commit, toJSON(list(o.Phases)), o.ErrorCode, o.Error, at, d.ID); err != nil {
		return false, err
	}
	if _, err := tx.exec(`UPDATE commands SET state = ?, ended_at = ? WHERE deployment_id = ? AND ended_at = 0`, commandEnd(o.State), at, d.ID); err != nil {
		return false, err
	}
	if err := s.settleStack(tx, d, o); err != nil {
		return false, err
	}
	if !d.Again || d.AgainCommit != "" && d.AgainCommit == d.Commit {
		return true, nil // nothing was asked for that this deployment did not do
	}
	_, _, err = s.queue(tx, stacks.Ask{Stack: d.Stack, Trigger: d.Trigger, Actor: d.Actor, Options: d.Options,
		Reason: "asked for while the deployment before was running"})
	return true, err
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

// settleStack gives the stack the status that a deployment's end leaves it in.
func (s *Store) settleStack(tx *Tx, d stacks.Deployment, o stacks.Outcome) error {
	st, err := stackByID(tx, d.Stack)
	if err != nil {
		return err
	}
	if o.Containers != nil {
		st.Containers, st.ObservedAt = o.Containers, o.At
	}
	switch {
	case o.State == stacks.DeploymentSucceeded:
		st.Status, st.Error, st.OutOfSync = stacks.StatusActive, "", false
		st.Revision, st.Commit = d.Revision, d.Commit
	case o.State == stacks.DeploymentCancelled:
		st.Status, st.OutOfSync = statusWithout(st), true
	default:
		st.Status, st.Error, st.OutOfSync = stacks.StatusError, o.Error, true
	}
	_, err = tx.exec(`UPDATE stacks SET status = ?, error = ?, out_of_sync = ?, revision = ?, commit_hash = ?, containers = ?, observed_at = ?, updated_at = ? WHERE id = ?`,
		st.Status, st.Error, st.OutOfSync, st.Revision, st.Commit, toJSON(list(st.Containers)), micros(st.ObservedAt), micros(o.At), st.ID)
	return err
}

// statusWithout is the status of a stack that no deployment is working on: what its
// containers show, if it was ever deployed.
func statusWithout(st stacks.Stack) stacks.Status {
	if st.Revision == 0 {
		return stacks.StatusNew
	}
	if stacks.JudgeContainers(st.Containers).OK {
		return stacks.StatusActive
	}
	return stacks.StatusDegraded
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
		if _, err := tx.exec(`UPDATE deployments SET again = 0, cancelling = 1 WHERE id = ?`, id); err != nil {
			return d, err
		}
		if d.State == stacks.DeploymentQueued {
			return s.cancelQueued(tx, d, by)
		}
		return deploymentByID(tx, id)
	})
}

func (s *Store) cancelQueued(tx *Tx, d stacks.Deployment, by access.Principal) (stacks.Deployment, error) {
	now := s.now()
	d.Again = false
	if _, err := tx.exec(`UPDATE deployments SET state = ?, error = ?, finished_at = ? WHERE id = ?`,
		stacks.DeploymentCancelled, "cancelled by "+by.Name+" before it started", micros(now), d.ID); err != nil {
		return d, err
	}
	if err := s.settleStack(tx, d, stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentCancelled, At: now}); err != nil {
		return d, err
	}
	return deploymentByID(tx, d.ID)
}
