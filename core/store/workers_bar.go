package store

import (
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
)

// RevokeWorker implements fleet.Store.
func (s *Store) RevokeWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) (fleet.Worker, error) {
	return write(ctx, s, func(tx *Tx) (fleet.Worker, error) {
		w, err := workerByID(tx, id)
		if err != nil || w.Revoked {
			return w, err
		}
		if _, err := tx.exec(`UPDATE worker_tokens SET revoked = 1 WHERE id = ?`, w.TokenID); err != nil {
			return w, err
		}
		if err := tx.change(errWorkerMissing, `UPDATE workers SET revoked = 1, epoch = epoch + 1, left_at = CASE WHEN connected_at > ? THEN connected_at ELSE ? END
			WHERE id = ? AND revoked = 0`, micros(s.now()), micros(s.now()), id); err != nil {
			return w, err
		}
		if err := s.closeWork(tx, w, "was revoked", e.Actor); err != nil {
			return w, err
		}
		if err := s.audit(tx, e); err != nil {
			return w, err
		}
		return workerByID(tx, id)
	})
}

// DeleteWorker implements fleet.Store.
func (s *Store) DeleteWorker(ctx context.Context, id core.WorkerID, e access.AuditEvent) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		w, err := workerByID(tx, id)
		if err != nil {
			return err
		}
		if err := refuseWithStacks(tx, w); err != nil {
			return err
		}
		if err := s.closeWork(tx, w, "was deleted", e.Actor); err != nil {
			return err
		}
		if err := tx.change(errWorkerMissing, `DELETE FROM workers WHERE id = ?`, id); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM policies WHERE worker_id = ?`, id); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM worker_tokens WHERE id = ?`, w.TokenID); err != nil {
			return err
		}
		return s.audit(tx, e)
	})
}

// refuseWithStacks is a Conflict that names the stacks assigned to w, if there are any.
func refuseWithStacks(tx *Tx, w fleet.Worker) error {
	if w.Stacks == 0 {
		return nil
	}
	const shown = 10
	names, err := many(tx, scalar[string], `SELECT name FROM stacks WHERE worker_id = ? ORDER BY name LIMIT ?`, w.ID, shown)
	if err != nil {
		return err
	}
	text := strings.Join(names, ", ")
	if more := w.Stacks - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fault.New(fault.Conflict, "worker.has_stacks",
		"Worker %s still has stacks: %s. Transfer or delete them first.", w.Hostname, text)
}
