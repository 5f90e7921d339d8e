package store

import (
	"context"
	"fmt"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// transition is one step of a deployment from one state to another. Every change of
// deployments.state is one, and each leaves one row in deployment_events.
type transition struct {
	deployment core.DeploymentID
	from, to   stacks.DeploymentState
	only       string // what must hold beside the state, " AND column = 0"; may be empty
	at         time.Time
	cause      string // a fault code, or words for people
	actor      string // who caused it; empty: Berth itself
}

// pass moves a deployment on and stores the event of it. set names what changes beside the state,
// ", column = ?" for each. Conflict "deployment.moved" when the deployment is not in the state that is
// expected, or what must hold beside it does not.
func pass(tx *Tx, t transition, set string, args ...any) error {
	if !stacks.MayFollow(t.from, t.to) {
		return fmt.Errorf("store: deployment %s cannot go from %q to %q", t.deployment, t.from, t.to)
	}
	all := append([]any{t.to}, args...)
	if err := tx.change(errDeploymentMoved, `UPDATE deployments SET state = ?`+set+` WHERE id = ? AND state = ?`+t.only, append(all, t.deployment, t.from)...); err != nil {
		return err
	}
	if err := noteEnd(tx, t); err != nil {
		return err
	}
	if err := noteStatus(tx, t); err != nil {
		return err
	}
	return insertEvent(tx, t)
}

// insertDeployment stores a new deployment, which is queued, and the event of that.
func insertDeployment(tx *Tx, d stacks.Deployment, cause string) error {
	if err := tx.insert(errDeploymentMoved, `INSERT INTO deployments (`+deploymentColumns+`) VALUES (?, ?, ?, ?, ?, ?, 0, '', ?, '[]', '', '', '', '', ?, '{}', '', 0, '', ?, ?, ?, 0, 0)`,
		d.ID, d.Stack, stacks.DeploymentQueued, d.Trigger, d.Actor, d.Commit, toJSON(d.Options), toJSON(d.Aim), d.RetryOf, d.Attempt, micros(d.QueuedAt)); err != nil {
		return err
	}
	return insertEvent(tx, transition{deployment: d.ID, to: stacks.DeploymentQueued, at: d.QueuedAt, cause: cause, actor: personOf(d.Actor)})
}

func insertEvent(tx *Tx, t transition) error {
	_, err := tx.exec(`INSERT INTO deployment_events (deployment_id, number, at, from_state, to_state, cause, actor)
		VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM deployment_events WHERE deployment_id = ?), ?, ?, ?, ?, ?)`,
		t.deployment, t.deployment, micros(t.at), t.from, t.to, t.cause, t.actor)
	return err
}

// personOf is an actor as events name it: nobody when Berth acted by itself.
func personOf(actor string) string {
	if actor == stacks.SystemActor {
		return ""
	}
	return actor
}

// causeOfEnd says why a deployment that is as d now has ended with o.
func causeOfEnd(d stacks.Deployment, o stacks.Outcome) string {
	switch {
	case o.State == stacks.DeploymentRolledBack:
		return fmt.Sprintf("revision %d was put back", d.Restore.Revision)
	case o.ErrorCode != "" && d.Restore.Revision > 0:
		return fmt.Sprintf("revision %d was not put back: %s", d.Restore.Revision, o.ErrorCode)
	case o.ErrorCode != "":
		return o.ErrorCode
	case o.State == stacks.DeploymentSucceeded:
		return "what was put in place runs as it should"
	}
	return o.Error
}

// maxEvents bounds what is read of one deployment; few have more than six.
const maxEvents = 100

// DeploymentEvents returns the transitions of a deployment, oldest first; none when there is no such
// deployment.
func (s *Store) DeploymentEvents(ctx context.Context, id core.DeploymentID) ([]stacks.DeploymentEvent, error) {
	return read(ctx, s, func(tx *Tx) ([]stacks.DeploymentEvent, error) {
		return many(tx, scanEvent, `SELECT number, at, from_state, to_state, cause, actor FROM deployment_events WHERE deployment_id = ? ORDER BY number LIMIT ?`, id, maxEvents)
	})
}

func scanEvent(row scanner) (stacks.DeploymentEvent, error) {
	var e stacks.DeploymentEvent
	var at int64
	err := row.Scan(&e.Number, &at, &e.From, &e.To, &e.Cause, &e.Actor)
	e.At = fromMicros(at)
	return e, err
}
