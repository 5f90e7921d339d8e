package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
)

var errDeliveryMissing = fault.New(fault.NotFound, "webhook.delivery_not_found", "The webhook has no such delivery; the newest 500 are kept.")

const deliveryColumns = `id, repository_id, provider, host_id, digest, event, ref, commit_hash, result, reason, received_at, replay_of, repeats, repeated_at, looked_at, outcome`

func scanDelivery(row scanner) (repositories.Delivery, error) {
	var d repositories.Delivery
	var received, repeated, looked int64
	err := row.Scan(&d.ID, &d.Repository, &d.Provider, &d.HostID, &d.Digest, &d.Event, &d.Ref, &d.Commit, &d.Result, &d.Reason, &received, &d.ReplayOf,
		&d.Repeats, &repeated, &looked, &d.Outcome)
	d.ReceivedAt, d.RepeatedAt, d.LookedAt = fromMicros(received), fromMicros(repeated), fromMicros(looked)
	return d, err
}

// AddDelivery implements repositories.HookStore.
func (s *Store) AddDelivery(ctx context.Context, d repositories.Delivery) (repositories.Delivery, error) {
	return writeNew(ctx, s, func(tx *Tx) (repositories.Delivery, error) {
		if _, err := repositoryByID(tx, d.Repository); err != nil {
			return d, err
		}
		before, err := earlier(tx, d)
		if err != nil {
			return d, err
		}
		if len(before) > 0 {
			return repeated(tx, before[0], d)
		}
		if err := insertDelivery(tx, d); err != nil || d.Result != repositories.DeliveryAccepted {
			return d, err
		}
		_, err = tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = 'webhook', hooked_at = ? WHERE id = ?`, micros(d.ReceivedAt), micros(d.ReceivedAt), d.Repository)
		return d, err
	})
}

// earlier returns the delivery that d repeats: a host calls it the same, or has signed the very same.
func earlier(tx *Tx, d repositories.Delivery) ([]repositories.Delivery, error) {
	return many(tx, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE repository_id = ? AND (? <> '' AND provider = ? AND host_id = ? OR ? <> '' AND digest = ?) ORDER BY id LIMIT 1`,
		d.Repository, d.HostID, d.Provider, d.HostID, d.Digest, d.Digest)
}

func repeated(tx *Tx, before, again repositories.Delivery) (repositories.Delivery, error) {
	err := tx.change(errDeliveryMissing, `UPDATE webhook_deliveries SET repeats = repeats + 1, repeated_at = ? WHERE id = ?`, micros(again.ReceivedAt), before.ID)
	before.Repeats++
	before.RepeatedAt, before.Result, before.Reason = again.ReceivedAt, repositories.DeliveryRepeated, "it came before, and does nothing again"
	return before, err
}

// insertDelivery keeps a delivery, and of a repository's no more than so many.
func insertDelivery(tx *Tx, d repositories.Delivery) error {
	if _, err := tx.exec(`INSERT INTO webhook_deliveries (`+deliveryColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '')`,
		d.ID, d.Repository, d.Provider, d.HostID, d.Digest, d.Event, d.Ref, d.Commit, d.Result, d.Reason, micros(d.ReceivedAt), d.ReplayOf); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM webhook_deliveries WHERE repository_id = ? AND id <= (SELECT id FROM webhook_deliveries WHERE repository_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
		d.Repository, d.Repository, repositories.MaxDeliveries)
	return err
}

// AddReplay implements repositories.HookStore. That a person replays says nothing of whether the host still sends.
func (s *Store) AddReplay(ctx context.Context, d repositories.Delivery, by access.Principal) (repositories.Delivery, error) {
	return writeNew(ctx, s, func(tx *Tx) (repositories.Delivery, error) {
		if _, err := deliveryByID(tx, d.Repository, d.ReplayOf); err != nil {
			return d, err
		}
		if err := insertDelivery(tx, d); err != nil {
			return d, err
		}
		if err := s.audit(tx, by.Audit("webhook.replay", string(d.Repository), string(d.ReplayOf))); err != nil || d.Result != repositories.DeliveryAccepted {
			return d, err
		}
		_, err := tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = 'webhook' WHERE id = ?`, micros(d.ReceivedAt), d.Repository)
		return d, err
	})
}

func deliveryByID(tx *Tx, repository core.RepositoryID, id core.DeliveryID) (repositories.Delivery, error) {
	return one(tx, errDeliveryMissing, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE repository_id = ? AND id = ?`, repository, id)
}

// Delivery implements repositories.HookStore.
func (s *Store) Delivery(ctx context.Context, repository core.RepositoryID, id core.DeliveryID) (repositories.Delivery, error) {
	return read(ctx, s, func(tx *Tx) (repositories.Delivery, error) { return deliveryByID(tx, repository, id) })
}

// DeliveryList implements repositories.HookStore.
func (s *Store) DeliveryList(ctx context.Context, repository core.RepositoryID, ask core.Page) (core.List[repositories.Delivery], error) {
	return read(ctx, s, func(tx *Tx) (core.List[repositories.Delivery], error) {
		if _, err := repositoryByID(tx, repository); err != nil {
			return core.List[repositories.Delivery]{}, err
		}
		items, err := many(tx, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE repository_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`,
			repository, ask.After, ask.After, ask.Limit+1)
		return page(items, ask, func(d repositories.Delivery) string { return string(d.ID) }), err
	})
}
