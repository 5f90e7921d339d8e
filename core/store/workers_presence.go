package store

import (
	"context"

	"berth/core/fleet"
)

// Presence counts the workers that are not revoked by whether they are there, in one look at the table,
// which holds no more than a fleet.
func (s *Store) Presence(ctx context.Context) (fleet.Presence, error) {
	return read(ctx, s, func(tx *Tx) (fleet.Presence, error) {
		return one(tx, nil, func(row scanner) (p fleet.Presence, err error) {
			return p, row.Scan(&p.Online, &p.Unheard, &p.Away, &p.Never)
		}, tx.timed(`SELECT count(CASE WHEN `+isOnline+` THEN 1 END), count(CASE WHEN `+isUnheard+` THEN 1 END),
			count(CASE WHEN `+isAway+` THEN 1 END), count(CASE WHEN connected_at = 0 THEN 1 END) FROM workers WHERE revoked = 0`))
	})
}

// AwayWorkers returns workers that are known to have left, those first that left first; with missed only
// those that have stacks.
func (s *Store) AwayWorkers(ctx context.Context, missed bool, limit int) ([]fleet.Worker, error) {
	away := `SELECT id FROM workers WHERE ` + isAway
	if missed {
		away += ` AND EXISTS (SELECT 1 FROM stacks WHERE stacks.worker_id = workers.id)`
	}
	return read(ctx, s, func(tx *Tx) ([]fleet.Worker, error) { // few of many are looked at as a whole
		return many(tx, scanWorker, tx.timed(`SELECT `+workerColumns+` FROM workers WHERE id IN (`+away+` ORDER BY left_at, id LIMIT ?) ORDER BY left_at, id LIMIT ?`), limit, limit)
	})
}
