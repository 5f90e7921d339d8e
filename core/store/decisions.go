package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// keptDecisions is how many decisions a stack keeps: enough to see why, never growing.
const keptDecisions = 200

// decide records a decision that led to a deployment and what was seen for it.
func (s *Store) decide(tx *Tx, ask stacks.Ask, id core.DeploymentID, reason string, now time.Time) error {
	if ask.SeenTree != "" {
		if _, err := tx.exec(`UPDATE stacks SET seen_commit = ?, seen_tree = ?, out_of_sync = 1, `+sinceBehind+` WHERE id = ?`, ask.Commit, ask.SeenTree, true, micros(now), ask.Stack); err != nil {
			return err
		}
	}
	return insertDecision(tx, stacks.Decision{
		ID: core.NewID(core.PrefixDecision, now), Stack: ask.Stack, At: now, Trigger: ask.Trigger,
		Commit: ask.Commit, Deployed: true, Reason: reason, Deployment: id,
	})
}

func insertDecision(tx *Tx, d stacks.Decision) error {
	if _, err := tx.exec(`INSERT INTO decisions (id, stack_id, at, trigger, commit_hash, deployed, reason, deployment_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		d.ID, d.Stack, micros(d.At), d.Trigger, d.Commit, d.Deployed, d.Reason, d.Deployment); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM decisions WHERE stack_id = ? AND id <= (SELECT id FROM decisions WHERE stack_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
		d.Stack, d.Stack, keptDecisions)
	return err
}

// RecordSeen stores what polling saw for stacks that are not deployed, in one commit.
func (s *Store) RecordSeen(ctx context.Context, all []stacks.Seen) error {
	if len(all) == 0 {
		return nil
	}
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		now := s.now()
		for _, seen := range all {
			if err := s.recordOne(tx, seen, now); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) recordOne(tx *Tx, seen stacks.Seen, now time.Time) error {
	v, err := verdictNow(tx, seen)
	if err != nil {
		return err
	}
	// What an active stack shows as its error is a problem that polling found, and is gone with it.
	if _, err := tx.exec(`UPDATE stacks SET seen_commit = ?, out_of_sync = ?, `+sinceBehind+`, error = CASE WHEN ? <> '' OR status = ? THEN ? ELSE error END WHERE id = ?`,
		seen.Sight.Commit, v.OutOfSync, v.OutOfSync, micros(now), v.Problem, stacks.StatusActive, v.Problem, seen.Stack); err != nil {
		return err
	}
	if v.Settled {
		if _, err := tx.exec(`UPDATE stacks SET seen_tree = ? WHERE id = ?`, seen.Sight.Tree, seen.Stack); err != nil {
			return err
		}
	}
	if v.Problem != "" {
		if _, err := tx.exec(`UPDATE stacks SET status = ? WHERE id = ? AND revision = 0`, stacks.StatusError, seen.Stack); err != nil {
			return err
		}
	}
	return insertDecision(tx, stacks.Decision{ID: core.NewID(core.PrefixDecision, now), Stack: seen.Stack, At: now,
		Trigger: seen.Sight.Trigger, Commit: seen.Sight.Commit, Reason: seen.Sight.Reasoned(v.Reason)})
}

// verdictNow is the verdict on what was seen. When the stack's row says by now that this very state of
// its folder was looked at, the verdict is on that row: a deployment may have ended since polling read
// it, and nothing looks at the same head again.
func verdictNow(tx *Tx, seen stacks.Seen) (stacks.Verdict, error) {
	if seen.Sight.Tree == "" {
		return seen.Verdict, nil // the folder is missing
	}
	known, err := many(tx, func(row scanner) (st stacks.Stack, err error) {
		return st, row.Scan(&st.Path, &st.OutOfSync, &st.Seen, &st.SeenTree, &st.DeployedTree)
	}, `SELECT path, out_of_sync, seen_commit, seen_tree, deployed_tree FROM stacks WHERE id = ? AND seen_tree = ?`, seen.Stack, seen.Sight.Tree)
	if err != nil || len(known) == 0 {
		return seen.Verdict, err
	}
	return stacks.Decide(known[0], seen.Sight), nil
}

// Decisions lists why a stack was deployed or not, newest first.
func (s *Store) Decisions(ctx context.Context, stack core.StackID, ask core.Page) (core.List[stacks.Decision], error) {
	return read(ctx, s, func(tx *Tx) (core.List[stacks.Decision], error) {
		items, err := many(tx, func(row scanner) (stacks.Decision, error) {
			d := stacks.Decision{Stack: stack}
			var at int64
			err := row.Scan(&d.ID, &at, &d.Trigger, &d.Commit, &d.Deployed, &d.Reason, &d.Deployment)
			d.At = fromMicros(at)
			return d, err
		}, `SELECT id, at, trigger, commit_hash, deployed, reason, deployment_id FROM decisions
			WHERE stack_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`, stack, ask.After, ask.After, ask.Limit+1)
		return page(items, ask, func(d stacks.Decision) string { return d.ID }), err
	})
}
