package store

import (
	"context"

	"berth/core"
	"berth/core/access"
)

// audit writes what was done in the transaction that does it.
func (s *Store) audit(tx *Tx, e access.AuditEvent) error {
	now := s.now()
	_, err := tx.exec(`INSERT INTO audit_events (id, at, actor_kind, actor_id, actor_name, address, action, resource, detail)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		core.NewID(core.PrefixAuditEvent, now), micros(now), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, e.Actor.Address,
		e.Action, e.Resource, e.Detail)
	return err
}

// RecordEvent takes note of what was done to something that is not in the database.
func (s *Store) RecordEvent(ctx context.Context, e access.AuditEvent) error {
	return s.db.Write(ctx, func(tx *Tx) error { return s.audit(tx, e) })
}
