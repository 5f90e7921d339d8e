package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/repositories"
)

// Announcement returns the newest delivery that asked for a look and got none yet, of those that came until a
// time; ok is false when there is none.
func (s *Store) Announcement(ctx context.Context, id core.RepositoryID, until time.Time) (d repositories.Delivery, ok bool, err error) {
	all, err := read(ctx, s, func(tx *Tx) ([]repositories.Delivery, error) {
		return many(tx, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries
			WHERE repository_id = ? AND result = ? AND looked_at = 0 AND received_at <= ? ORDER BY id DESC LIMIT 1`, id, repositories.DeliveryAccepted, micros(until))
	})
	if err != nil || len(all) == 0 {
		return d, false, err
	}
	return all[0], true, nil
}

// SettleDeliveries notes what came of the look that deliveries until a time had asked for.
func (s *Store) SettleDeliveries(ctx context.Context, id core.RepositoryID, until time.Time, outcome string, at time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE webhook_deliveries SET looked_at = ?, outcome = ? WHERE repository_id = ? AND result = ? AND looked_at = 0 AND received_at <= ?`,
			micros(at), outcome, id, repositories.DeliveryAccepted, micros(until))
		return err
	})
}

// SetUnannounced notes that a look that began at a time found a commit that no delivery has told of. Where one told of
// it after all, or came since, nothing is noted.
func (s *Store) SetUnannounced(ctx context.Context, id core.RepositoryID, commit core.Commit, began time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE repositories SET unannounced_at = ? WHERE id = ? AND hooked_at > 0 AND hooked_at < ?
			AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE repository_id = ? AND commit_hash = ?)`, micros(began), id, micros(began), id, commit)
		return err
	})
}
