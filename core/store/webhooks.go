package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/seal"
)

var errNoPrevious = fault.New(fault.Conflict, "webhook.no_previous", "The webhook has no secret but the newest one.")

// sealedSecret is a webhook's secret as it is kept.
type sealedSecret struct {
	repositories.WebhookSecret
	sealed seal.Sealed
}

// Webhook implements repositories.HookStore.
func (s *Store) Webhook(ctx context.Context, id core.RepositoryID) (repositories.Webhook, []seal.Sealed, error) {
	var sealed []seal.Sealed
	known, err := read(ctx, s, func(tx *Tx) (w repositories.Webhook, err error) {
		w, sealed, err = webhookOf(tx, id)
		return w, err
	})
	return known, sealed, err
}

func webhookOf(tx *Tx, id core.RepositoryID) (w repositories.Webhook, sealed []seal.Sealed, err error) {
	if w.Repository, err = repositoryByID(tx, id); err != nil {
		return w, nil, err
	}
	kept, err := many(tx, func(row scanner) (k sealedSecret, err error) {
		var made int64
		err = row.Scan(&k.ID, &k.sealed, &made, &k.MadeBy)
		k.MadeAt = fromMicros(made)
		return k, err
	}, `SELECT id, sealed, made_at, made_by FROM webhook_secrets WHERE repository_id = ? ORDER BY made_at DESC LIMIT ?`, id, repositories.MaxSecrets)
	if err != nil {
		return w, nil, err
	}
	for _, k := range kept {
		w.Secrets, sealed = append(w.Secrets, k.WebhookSecret), append(sealed, k.sealed)
	}
	_, err = one(tx, errRepositoryMissing, func(row scanner) (struct{}, error) {
		var refused, last int64
		err := row.Scan(&refused, &last)
		w.RefusedAt, w.LastAt = fromMicros(refused), fromMicros(last)
		return struct{}{}, err
	}, `SELECT hook_refused_at, coalesce((SELECT d.received_at FROM webhook_deliveries d WHERE d.repository_id = r.id AND d.replay_of = '' ORDER BY d.id DESC LIMIT 1), 0)
		FROM repositories r WHERE r.id = ?`, id)
	return w, sealed, err
}

// AddWebhookSecret implements repositories.HookStore.
func (s *Store) AddWebhookSecret(ctx context.Context, id core.RepositoryID, secret repositories.WebhookSecret, sealed seal.Sealed, by access.Principal) (repositories.Webhook, error) {
	return write(ctx, s, func(tx *Tx) (w repositories.Webhook, err error) {
		r, err := repositoryByID(tx, id)
		if err != nil {
			return w, err
		}
		if err := insertSecret(tx, id, secret, sealed); err != nil {
			return w, err
		}
		if _, err := dropSecrets(tx, id, repositories.MaxSecrets); err != nil {
			return w, err
		}
		if err := s.audit(tx, by.Audit("webhook.secret_create", string(id), r.Name)); err != nil {
			return w, err
		}
		w, _, err = webhookOf(tx, id)
		return w, err
	})
}

// insertSecret stores a secret as the newest one, whatever the clock says.
func insertSecret(tx *Tx, id core.RepositoryID, secret repositories.WebhookSecret, sealed seal.Sealed) error {
	newest, err := one(tx, nil, scalar[int64], `SELECT coalesce(max(made_at), 0) FROM webhook_secrets WHERE repository_id = ?`, id)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO webhook_secrets (id, repository_id, sealed, made_at, made_by) VALUES (?, ?, ?, ?, ?)`,
		secret.ID, id, sealed, max(micros(secret.MadeAt), newest+1), secret.MadeBy)
	return err
}

// dropSecrets deletes all but the newest so many secrets of a repository's webhook.
func dropSecrets(tx *Tx, id core.RepositoryID, keep int) (dropped int64, err error) {
	return tx.exec(`DELETE FROM webhook_secrets WHERE repository_id = ? AND made_at <= (SELECT made_at FROM webhook_secrets WHERE repository_id = ? ORDER BY made_at DESC LIMIT 1 OFFSET ?)`,
		id, id, keep)
}

// DropPreviousSecret implements repositories.HookStore.
func (s *Store) DropPreviousSecret(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error) {
	return write(ctx, s, func(tx *Tx) (w repositories.Webhook, err error) {
		r, err := repositoryByID(tx, id)
		if err != nil {
			return w, err
		}
		dropped, err := dropSecrets(tx, id, 1)
		if err == nil && dropped == 0 {
			err = errNoPrevious
		}
		if err != nil {
			return w, err
		}
		if err := s.audit(tx, by.Audit("webhook.secret_delete", string(id), r.Name)); err != nil {
			return w, err
		}
		w, _, err = webhookOf(tx, id)
		return w, err
	})
}

// DropSecrets implements repositories.HookStore.
func (s *Store) DropSecrets(ctx context.Context, id core.RepositoryID, by access.Principal) (repositories.Webhook, error) {
	return write(ctx, s, func(tx *Tx) (w repositories.Webhook, err error) {
		r, err := repositoryByID(tx, id)
		if err != nil {
			return w, err
		}
		dropped, err := tx.exec(`DELETE FROM webhook_secrets WHERE repository_id = ?`, id)
		if err == nil && dropped > 0 {
			err = s.audit(tx, by.Audit("webhook.disable", string(id), r.Name))
		}
		if err != nil {
			return w, err
		}
		if _, err := tx.exec(`UPDATE repositories SET hooked_at = 0, unannounced_at = 0, hook_refused_at = 0 WHERE id = ?`, id); err != nil {
			return w, err
		}
		w, _, err = webhookOf(tx, id)
		return w, err
	})
}

// NoteRefused implements repositories.HookStore.
func (s *Store) NoteRefused(ctx context.Context, id core.RepositoryID, at time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE repositories SET hook_refused_at = ? WHERE id = ?`, micros(at), id)
		return err
	})
}
