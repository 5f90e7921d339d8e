package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

// PauseStack implements stacks.Store. An automatic deployment that has not begun is held back.
func (s *Store) PauseStack(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Stack, error) {
		st, err := stackByID(tx, id)
		if err != nil || st.Paused {
			return st, err
		}
		if st.Deleting {
			return st, errStackDeleting
		}
		st.Paused = true
		open, err := openOf(tx, id)
		if err != nil {
			return st, err
		}
		if err := s.holdBack(tx, &st, open, by); err != nil {
			return st, err
		}
		if st.Status == stacks.StatusActive || st.Status == stacks.StatusNew {
			st.Status = st.RestingStatus()
		}
		if _, err := tx.exec(`UPDATE stacks SET paused = 1, status = ?, seen_tree = ?, heal_at = 0, updated_at = ? WHERE id = ?`, st.Status, st.SeenTree, micros(s.now()), id); err != nil {
			return st, err
		}
		if err := s.audit(tx, by.Audit("stack.pause", string(id), st.Name)); err != nil {
			return st, err
		}
		return stackByID(tx, id)
	})
}

// holdBack ends the automatic deployment that is queued; what it was about is looked at again
// when the pause ends.
func (s *Store) holdBack(tx *Tx, st *stacks.Stack, open []stacks.Deployment, by access.Principal) error {
	for _, d := range open {
		if d.State != stacks.DeploymentQueued || !d.Automatic() {
			continue
		}
		if err := supersede(tx, d.ID, "the stack was paused by "+by.Name+" before it started", personOf(by.Name), s.now()); err != nil {
			return err
		}
		st.SeenTree = ""
		if len(open) == 1 {
			var err error
			if st.Status, st.Error, err = statusWithout(tx, *st, d.ID); err != nil {
				return err
			}
			if _, err := tx.exec(`UPDATE stacks SET error = ? WHERE id = ?`, st.Error, st.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// ResumeStack implements stacks.Store. What was missed, and what failed or drifted meanwhile, is
// looked at now.
func (s *Store) ResumeStack(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error) {
	return write(ctx, s, func(tx *Tx) (stacks.Stack, error) {
		st, err := stackByID(tx, id)
		if err != nil || !st.Paused {
			return st, err
		}
		st.Paused = false
		if st.Status == stacks.StatusPaused {
			st.Status = st.RestingStatus()
		}
		if err := s.judgeSeen(tx, &st, s.now()); err != nil { // a repair may have been held back
			return st, err
		}
		if _, err := tx.exec(`UPDATE stacks SET paused = 0, status = ?, error = ?, drifted = ?, drift = ?, heals = ?, heal_at = ?, updated_at = ? WHERE id = ?`,
			st.Status, st.Error, st.Drifted, toJSON(list(st.Drift)), st.Heals, micros(st.HealAt), micros(s.now()), id); err != nil {
			return st, err
		}
		if err := s.lookAgain(tx, st.Repository, by); err != nil {
			return st, err
		}
		if err := s.audit(tx, by.Audit("stack.resume", string(id), st.Name)); err != nil {
			return st, err
		}
		return stackByID(tx, id)
	})
}
