package store

import (
	"cmp"
	"context"
	"time"

	"berth/core"
	"berth/core/access"
)

const auditColumns = `id, at, actor_kind, actor_id, actor_name, address, action, resource, detail, result, key_id`

// audit writes what was done in the transaction that does it.
func (s *Store) audit(tx *Tx, e access.AuditEvent) error {
	now := s.now()
	_, err := tx.exec(`INSERT INTO audit_events (`+auditColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		core.NewID(core.PrefixAuditEvent, now), micros(now), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, e.Actor.Address,
		e.Action, e.Resource, e.Detail, cmp.Or(e.Result, access.Done), e.Actor.Key)
	return err
}

// RecordEvent takes note of what was done to something that is not in the database.
func (s *Store) RecordEvent(ctx context.Context, e access.AuditEvent) error {
	return s.db.Write(ctx, func(tx *Tx) error { return s.audit(tx, e) })
}

// AuditEvents lists what was done, newest first.
func (s *Store) AuditEvents(ctx context.Context, f access.AuditFilter, ask core.Page) (core.List[access.AuditRecord], error) {
	where, args := `id < ?`, []any{before(ask.After)}
	narrow := func(condition string, value any) { where, args = where+` AND `+condition, append(args, value) }
	switch {
	case f.ByKey():
		where += ` AND key_id <> ''` // by which the index knows it
		narrow(`key_id = ?`, f.Actor)
	case f.Actor != "" && f.ByID():
		narrow(`actor_id = ?`, f.Actor)
	case f.Actor != "":
		narrow(`actor_name = ?`, f.Actor)
	}
	if f.Action != "" {
		narrow(`action = ?`, f.Action)
	}
	if f.Resource != "" {
		narrow(`resource = ?`, f.Resource)
	}
	if f.Result != "" && f.Result != access.Done {
		where += ` AND result <> 'done'` // by which the index knows them
	}
	if f.Result != "" {
		narrow(`result = ?`, f.Result)
	}
	if !f.From.IsZero() {
		narrow(`id >= ?`, core.FirstID(core.PrefixAuditEvent, f.From))
	}
	if !f.To.IsZero() {
		narrow(`id < ?`, core.FirstID(core.PrefixAuditEvent, f.To))
	}
	return read(ctx, s, func(tx *Tx) (core.List[access.AuditRecord], error) {
		items, err := many(tx, scanAudit, `SELECT `+auditColumns+` FROM audit_events WHERE `+where+` ORDER BY id DESC LIMIT ?`, append(args, ask.Limit+1)...)
		return page(items, ask, func(r access.AuditRecord) string { return string(r.ID) }), err
	})
}

// AuditActions returns all that was ever done, by name. Each is looked up by index, however often it was done.
func (s *Store) AuditActions(ctx context.Context) ([]string, error) {
	return read(ctx, s, func(tx *Tx) ([]string, error) {
		return many(tx, scalar[string], `WITH RECURSIVE known (action) AS (
			SELECT (SELECT min(action) FROM audit_events) UNION ALL
			SELECT (SELECT min(a.action) FROM audit_events a WHERE a.action > known.action) FROM known WHERE known.action IS NOT NULL
		) SELECT action FROM known WHERE action IS NOT NULL ORDER BY action LIMIT ?`, maxActions)
	})
}

// maxActions is how many actions are offered to choose from; there are fewer.
const maxActions = 500

func scanAudit(row scanner) (access.AuditRecord, error) {
	var r access.AuditRecord
	var at int64
	err := row.Scan(&r.ID, &at, &r.Actor.Kind, &r.Actor.ID, &r.Actor.Name, &r.Actor.Address, &r.Action, &r.Resource, &r.Detail, &r.Result, &r.Actor.Key)
	r.At = fromMicros(at)
	return r, err
}

// KeepAudit sets how long audit events are kept; 0 keeps them for ever. It is called before Prune.
func (s *Store) KeepAudit(of time.Duration) { s.keptAudit = of }
