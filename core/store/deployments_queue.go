package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// QueueDeployment stores the wish for a deployment: one transaction with decision, audit
// and the stack's status. The returned deployment is the one that covers the wish.
func (s *Store) QueueDeployment(ctx context.Context, ask stacks.Ask, by access.Principal) (stacks.Deployment, error) {
	return writeNew(ctx, s, func(tx *Tx) (stacks.Deployment, error) {
		d, err := s.queue(tx, ask)
		if err == nil {
			err = s.auditAsk(tx, ask, d.ID, by)
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
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		for _, ask := range asks {
			d, err := s.queue(tx, ask)
			if err == nil {
				err = s.auditAsk(tx, ask, d.ID, byTrigger(ask.Trigger))
			}
			switch {
			case errors.Is(err, errStackPaused):
				err = noteBehind(tx, ask, s.now())
			case errors.Is(err, errStackRepeats):
				err = s.noteRepeated(tx, ask)
			}
			if err != nil && !passedOver(err) {
				return err
			}
		}
		return nil
	})
}

// noteBehind says of a stack that was paused since polling decided that it is out of sync. It is
// looked at again when the pause ends.
func noteBehind(tx *Tx, ask stacks.Ask, now time.Time) error {
	if ask.SeenTree == "" {
		return nil
	}
	_, err := tx.exec(`UPDATE stacks SET seen_commit = ?, out_of_sync = 1, `+sinceBehind+` WHERE id = ?`, ask.Commit, true, micros(now), ask.Stack)
	return err
}

// noteRepeated decides anew on what polling wanted to deploy of a stack, of which that very commit has failed meanwhile.
func (s *Store) noteRepeated(tx *Tx, ask stacks.Ask) error {
	st, err := stackByID(tx, ask.Stack)
	if err != nil {
		return err
	}
	sight := stacks.Sight{Commit: ask.Commit, Tree: ask.SeenTree, Trigger: ask.Trigger}
	return s.recordOne(tx, stacks.Seen{Stack: st.ID, Sight: sight, Verdict: stacks.Decide(st, sight)}, s.now())
}

// passedOver reports whether a stack's wish failed in a way that must not stop the others':
// it is gone, being deleted or paused by now, or a row of it cannot be read.
func passedOver(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) || unreadable(err)
}

// auditAsk takes note of a wish for a deployment and of what covers it.
func (s *Store) auditAsk(tx *Tx, ask stacks.Ask, covered core.DeploymentID, by access.Principal) error {
	return s.audit(tx, by.Audit("stack."+verb(ask.Trigger), string(ask.Stack), fmt.Sprintf("%s, %s", covered, ask.Trigger)))
}

// byTrigger is who stands behind a wish that no person had.
func byTrigger(t stacks.Trigger) access.Principal {
	if t == stacks.TriggerWebhook {
		return access.Webhook
	}
	return access.System
}

// verb names what was asked for, for the audit.
func verb(t stacks.Trigger) string {
	if t == stacks.TriggerRedeploy || t == stacks.TriggerRollback || t == stacks.TriggerTransfer {
		return string(t)
	}
	return "sync"
}

// These pass over what polling decided on an older row: a deployment has taken this very state of the folder meanwhile,
// or one of this very commit has failed for what is in its files.
var (
	errStackSeen    = fault.New(fault.Conflict, "stack.seen", "The stack's folder was deployed as it is now.")
	errStackRepeats = fault.New(fault.Conflict, "stack.seen", "The commit was deployed, and failed for what is in its files.")
)

// queue is QueueDeployment inside a transaction.
func (s *Store) queue(tx *Tx, ask stacks.Ask) (stacks.Deployment, error) {
	st, err := stackByID(tx, ask.Stack)
	if err != nil {
		return stacks.Deployment{}, err
	}
	if st.Deleting {
		return stacks.Deployment{}, errStackDeleting
	}
	if ask.Trigger == stacks.TriggerPoll || ask.Trigger == stacks.TriggerWebhook {
		switch {
		case ask.SeenTree != "" && ask.SeenTree == st.SeenTree:
			return stacks.Deployment{}, errStackSeen
		case ask.SeenTree != "" && st.Repeats(ask.Commit):
			return stacks.Deployment{}, errStackRepeats
		}
	}
	open, err := openOf(tx, ask.Stack)
	if err != nil {
		return stacks.Deployment{}, err
	}
	ask = st.Aimed(ask, open)
	if err := mayAim(tx, st, ask); err != nil {
		return stacks.Deployment{}, err
	}
	c := stacks.Cover(open, ask)
	if c.Waits {
		ask.SeenTree = "" // polling looks at it again
	}
	now := s.now()
	d, err := s.cover(tx, c, ask.Reason+c.How, now)
	if err != nil {
		return d, err
	}
	if err := s.decide(tx, ask, d.ID, ask.Reason+c.How, now); err != nil || c.Waits {
		return d, err
	}
	if c.Displaced != "" && ask.SeenTree == "" && ask.Trigger != stacks.TriggerRollback { // polling looks again at what that was to deploy
		if _, err := tx.exec(`UPDATE stacks SET seen_tree = '' WHERE id = ?`, st.ID); err != nil {
			return d, err
		}
	}
	return d, s.expect(tx, st, ask, len(open) == 0, now)
}

// cover stores what became of a wish: a new deployment, or a queued one that does more.
func (s *Store) cover(tx *Tx, c stacks.Coverage, reason string, now time.Time) (stacks.Deployment, error) {
	d := c.Deployment
	switch {
	case c.Fresh:
		if c.Displaced != "" {
			if err := supersede(tx, c.Displaced, "a newer wish took its place: "+string(d.Trigger)+" by "+d.Actor, personOf(d.Actor), now); err != nil {
				return d, err
			}
		}
		d.ID, d.QueuedAt = core.DeploymentID(core.NewID(core.PrefixDeployment, now)), fromMicros(micros(now))
		return d, insertDeployment(tx, d, reason)
	case d.State == stacks.DeploymentQueued && !c.Waits:
		return d, tx.change(errDeploymentMoved, `UPDATE deployments SET commit_hash = ?, options = ?, trigger = ?, actor = ?, retry_of = ?, attempt = ? WHERE id = ? AND state = ?`,
			d.Commit, toJSON(d.Options), d.Trigger, d.Actor, d.RetryOf, d.Attempt, d.ID, stacks.DeploymentQueued)
	}
	return d, nil
}

// supersede ends a queued deployment that has nothing left to do.
func supersede(tx *Tx, id core.DeploymentID, why, actor string, at time.Time) error {
	return pass(tx, transition{deployment: id, from: stacks.DeploymentQueued, to: stacks.DeploymentSuperseded, at: at, cause: why, actor: actor},
		`, finished_at = ?, error = ?`, micros(at), why)
}

// mayAim refuses a wish that cannot be carried out, before anything is stored.
func mayAim(tx *Tx, st stacks.Stack, ask stacks.Ask) error {
	if st.Paused && ask.Automatic() {
		return errStackPaused
	}
	if ask.Aim.Revision > 0 {
		if _, err := one(tx, errRevisionMissing, scalar[int], `SELECT number FROM revisions WHERE stack_id = ? AND number = ?`, st.ID, ask.Aim.Revision); err != nil {
			return err
		}
	}
	if ask.Aim.Worker != "" {
		return mayMove(tx, st, ask.Aim.Worker)
	}
	return nil
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
	if st.Releases(ask) {
		st.Quarantine = stacks.Quarantine{}
	}
	_, err := tx.exec(`UPDATE stacks SET status = ?, retries = ?, retry_at = 0, retry = '{}', heal_at = 0, quarantine = ?, updated_at = ? WHERE id = ?`,
		st.Status, st.Retries, toJSON(st.Quarantine), micros(now), st.ID)
	return err
}

// openOf returns the deployments of a stack that have not ended: at most one that runs and
// one that is queued.
func openOf(tx *Tx, stack core.StackID) ([]stacks.Deployment, error) {
	return many(tx, scanDeployment, `SELECT `+deploymentColumns+` FROM deployments WHERE stack_id = ? AND state IN ('queued', 'running') ORDER BY id LIMIT 2`, stack)
}
