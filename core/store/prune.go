package store

import (
	"context"
	"time"
)

// Retention: how much history is kept.
const (
	keptDeployments = 500                  // ended deployments of a stack, with their logs
	keptAudit       = 365 * 24 * time.Hour // audit events
	keptCommands    = 7 * 24 * time.Hour   // commands that have ended
	pruneStep       = 500                  // rows of each kind in one transaction
)

// Prune deletes what is older than retention allows, a bounded number of rows at a time;
// more says that there is more to delete.
func (s *Store) Prune(ctx context.Context, now time.Time) (more bool, err error) {
	return write(ctx, s, func(tx *Tx) (more bool, err error) {
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ? LIMIT ?)`, []any{micros(now), pruneStep}},
			{`DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE at < ? ORDER BY id LIMIT ?)`, []any{micros(now.Add(-keptAudit)), pruneStep}},
			{`DELETE FROM commands WHERE id IN (SELECT id FROM commands WHERE ended_at > 0 AND ended_at < ? LIMIT ?)`,
				[]any{micros(now.Add(-keptCommands)), pruneStep}},
			{`DELETE FROM deployments WHERE id IN (SELECT id FROM (
				SELECT id, state, row_number() OVER (PARTITION BY stack_id ORDER BY id DESC) AS place FROM deployments)
				WHERE place > ? AND state NOT IN ('queued', 'running') LIMIT ?)`, []any{keptDeployments, pruneStep}},
		} {
			n, err := tx.exec(step.query, step.args...)
			if err != nil {
				return false, err
			}
			more = more || n >= pruneStep
		}
		return more, nil
	})
}
