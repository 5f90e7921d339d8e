package store

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubs"
)

// Online means connected_at > left_at, so the two are written such that a clock that was
// set back cannot leave a worker in the wrong state.

// WorkerConnected implements fleet.Store.
func (s *Store) WorkerConnected(ctx context.Context, id core.WorkerID, facts fleet.Facts) (uint64, error) {
	return write(ctx, s, func(tx *Tx) (uint64, error) {
		now := micros(s.now())
		epoch, err := one(tx, errWorkerMissing, scalar[int64], `UPDATE workers SET epoch = epoch + 1, connected_at = CASE WHEN left_at >= ? THEN left_at + 1 ELSE ? END,
			hub_id = ?, hostname = ?, tags = ?, version = ?, os = ?, arch = ?, engine = CASE WHEN ? = '' THEN engine ELSE ? END, runs = ?, host_policy = ?
			WHERE id = ? AND revoked = 0 RETURNING epoch`, now, now,
			hubs.Writer(ctx), facts.Hostname, toJSON(facts.Tags), facts.Version, facts.OS, facts.Arch, facts.Engine, facts.Engine, number(facts.Runs), toJSON(facts.Host), id)
		if fault.Is(err, fault.NotFound) {
			if _, known := workerByID(tx, id); known == nil {
				err = fleet.Revoked()
			}
		}
		return uint64(epoch), err
	})
}

// WorkerLeft notes that the link of this epoch has ended. It changes nothing when a newer
// link has taken its place, or when the worker is gone.
func (s *Store) WorkerLeft(ctx context.Context, id core.WorkerID, epoch uint64) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		now := micros(s.now())
		_, err := tx.exec(`UPDATE workers SET left_at = CASE WHEN connected_at > ? THEN connected_at ELSE ? END WHERE id = ? AND epoch = ?`,
			now, now, id, int64(epoch))
		return err
	})
}

// AllWorkersLeft marks every worker as gone: what a hub that starts knows of links.
func (s *Store) AllWorkersLeft(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		now := micros(s.now())
		_, err := tx.exec(`UPDATE workers SET left_at = CASE WHEN connected_at > ? THEN connected_at ELSE ? END WHERE connected_at > left_at`, now, now)
		return err
	})
}
