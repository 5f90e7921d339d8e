package store

import (
	"context"
	"fmt"
	"strings"

	"berth/core/stacks"
)

// maxDue bounds how many retries, or repairs, are queued in one commit.
const maxDue = 100

// QueueRetries queues the deployments that are due to be tried again, in one commit. Stacks
// that are paused or being deleted stay as they are, and so do those whose automatic sync is off, unless
// what failed was about something else than the branch's head.
func (s *Store) QueueRetries(ctx context.Context) (queued int, err error) {
	return s.queueDue(ctx, "retry_at", func(tx *Tx, st stacks.Stack) error {
		if !st.AutoSync && !st.Retry.ByItself() {
			return nil
		}
		ask := stacks.Ask{Stack: st.ID, Trigger: st.Retry.Trigger, Actor: stacks.SystemActor, Retry: true, Aim: st.Retry.Aim, Options: st.Retry.Options, Of: st.Retry.Of, Attempt: st.Retry.Attempt,
			Reason: fmt.Sprintf("tried again after a failure, time %d", max(1, st.Retries))}
		if ask.Trigger == "" {
			ask.Trigger = stacks.TriggerPoll
		}
		_, err := s.queue(tx, ask)
		return err
	})
}

// QueueHeals queues the repairs of drifted stacks that are due, in one commit. A stack that is
// being deployed is not repaired: what that puts in place is newer.
func (s *Store) QueueHeals(ctx context.Context) (queued int, err error) {
	return s.queueDue(ctx, "heal_at", func(tx *Tx, st stacks.Stack) error {
		open, err := openOf(tx, st.ID)
		if err != nil || !st.Drifted || st.Revision == 0 || len(open) > 0 {
			return err
		}
		if _, err := tx.exec(`UPDATE stacks SET heals = heals + 1 WHERE id = ?`, st.ID); err != nil {
			return err
		}
		_, err = s.queue(tx, stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerDrift, Actor: stacks.SystemActor, Aim: stacks.Aim{Revision: st.Revision},
			Reason: "drift is repaired: " + driftText(st.Drift)})
		return err
	})
}

// queueDue queues something for the stacks for which a column says that it is due, in one commit. It
// is judged by their rows in that very transaction, and due once. Nothing is written when none is due.
func (s *Store) queueDue(ctx context.Context, column string, queue func(*Tx, stacks.Stack) error) (queued int, err error) {
	due := func(tx *Tx) ([]stacks.Stack, error) {
		due, err := manyLegible(tx, scanStack, `SELECT `+stackColumns+` FROM stacks
			WHERE `+column+` > 0 AND `+column+` <= ? AND paused = 0 AND deleting = 0 ORDER BY `+column+` LIMIT ?`, micros(s.now()), maxDue)
		if unreadable(err) {
			err = nil // they stay due, and the others are not held up
		}
		return due, err
	}
	if ready, err := read(ctx, s, due); err != nil || len(ready) == 0 {
		return 0, err
	}
	return writeNew(ctx, s, func(tx *Tx) (int, error) {
		all, err := due(tx)
		if err != nil {
			return 0, err
		}
		n, err := one(tx, nil, scalar[int], `SELECT count(*) FROM deployments WHERE state = 'queued'`)
		if err != nil {
			return 0, err
		}
		for _, st := range all {
			if _, err := tx.exec(`UPDATE stacks SET `+column+` = 0 WHERE id = ?`, st.ID); err != nil {
				return 0, err
			}
			if err := queue(tx, st); err != nil && !passedOver(err) {
				return 0, err
			}
		}
		after, err := one(tx, nil, scalar[int], `SELECT count(*) FROM deployments WHERE state = 'queued'`)
		return after - n, err
	})
}

// driftText says in one line what differs.
func driftText(all []stacks.Difference) string {
	const shown = 3
	var texts []string
	for i, d := range all {
		if i == shown {
			texts = append(texts, fmt.Sprintf("and %d more", len(all)-shown))
			break
		}
		texts = append(texts, d.Text)
	}
	return strings.Join(texts, "; ")
}
