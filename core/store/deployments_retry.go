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
// that are paused or being deleted, or whose automatic sync was switched off since, stay as they are.
func (s *Store) QueueRetries(ctx context.Context) (queued int, err error) {
	if !s.db.Room() {
		return 0, nil // what is due waits
	}
	due, err := read(ctx, s, func(tx *Tx) ([]stacks.Stack, error) {
		return many(tx, scanStack, `SELECT `+stackColumns+` FROM stacks
			WHERE retry_at > 0 AND retry_at <= ? AND (auto_sync = 1 OR retry_aim <> '{}') AND paused = 0 AND deleting = 0 ORDER BY retry_at LIMIT ?`, micros(s.now()), maxDue)
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	asks := make([]stacks.Ask, len(due))
	for i, st := range due {
		asks[i] = stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerPoll, Actor: "system", Retry: true, Aim: st.RetryAim,
			Reason: fmt.Sprintf("tried again after a failure, time %d", max(1, st.Retries))}
		if st.RetryAim.Revision > 0 {
			asks[i].Trigger = stacks.TriggerRollback
		}
	}
	return len(asks), s.QueueAll(ctx, asks)
}

// QueueHeals queues the repairs of drifted stacks that are due, in one commit.
func (s *Store) QueueHeals(ctx context.Context) (queued int, err error) {
	if !s.db.Room() {
		return 0, nil
	}
	due, err := read(ctx, s, func(tx *Tx) ([]stacks.Stack, error) {
		return many(tx, scanStack, `SELECT `+stackColumns+` FROM stacks
			WHERE heal_at > 0 AND heal_at <= ? AND drifted = 1 AND paused = 0 AND deleting = 0 AND revision > 0 ORDER BY heal_at LIMIT ?`, micros(s.now()), maxDue)
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return len(due), s.db.WriteNew(ctx, func(tx *Tx) error {
		for _, st := range due {
			if _, err := tx.exec(`UPDATE stacks SET heal_at = 0, heals = heals + 1 WHERE id = ?`, st.ID); err != nil {
				return err
			}
			_, err := s.queue(tx, stacks.Ask{Stack: st.ID, Trigger: stacks.TriggerDrift, Actor: "system", Aim: stacks.Aim{Revision: st.Revision},
				Reason: "drift is repaired: " + driftText(st.Drift)})
			if err != nil && !passedOver(err) {
				return err
			}
		}
		return nil
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
