package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
)

// spentAfter is how long a token that was never used is kept after it expired, so that
// whoever comes late is told that it expired rather than that it is unknown.
const spentAfter = 30 * 24 * time.Hour

var errTokenMissing = fault.New(fault.NotFound, "worker_token.not_found", "There is no such worker token.")

// AddWorkerToken implements fleet.Store.
func (s *Store) AddWorkerToken(ctx context.Context, t fleet.Token, mac []byte, e access.AuditEvent) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`DELETE FROM worker_tokens WHERE worker_id = '' AND expires_at < ?`, micros(s.now().Add(-spentAfter))); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO worker_tokens (id, name, mac, created_at, expires_at, worker_id, revoked) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			t.ID, t.Name, mac, micros(t.CreatedAt), micros(t.ExpiresAt), t.Worker, t.Revoked)
		if err != nil {
			return err
		}
		return s.audit(tx, e)
	})
}

// HeldWorkerToken implements fleet.Store.
func (s *Store) HeldWorkerToken(ctx context.Context, id core.WorkerTokenID) (fleet.Held, error) {
	return read(ctx, s, func(tx *Tx) (fleet.Held, error) { return heldToken(tx, id) })
}

// WorkerToken returns a token, without what proves it, and the worker that it is bound to; the zero worker while none is.
func (s *Store) WorkerToken(ctx context.Context, id core.WorkerTokenID) (fleet.Token, fleet.Worker, error) {
	held, err := s.HeldWorkerToken(ctx, id)
	return held.Token, held.Worker, err
}

func heldToken(tx *Tx, id core.WorkerTokenID) (fleet.Held, error) {
	held, err := one(tx, errTokenMissing, scanHeld, `SELECT t.id, t.name, t.mac, t.created_at, t.expires_at, t.worker_id, t.revoked, w.key
		FROM worker_tokens AS t LEFT JOIN workers AS w ON w.id = t.worker_id WHERE t.id = ?`, id)
	if err != nil || held.Token.Worker == "" {
		return held, err
	}
	held.Worker, err = workerByID(tx, held.Token.Worker)
	return held, err
}

func scanHeld(row scanner) (fleet.Held, error) {
	var h fleet.Held
	var created, expires int64
	var key []byte // of the worker; none before one has registered
	err := row.Scan(&h.Token.ID, &h.Token.Name, &h.MAC, &created, &expires, &h.Token.Worker, &h.Token.Revoked, &key)
	h.Token.CreatedAt, h.Token.ExpiresAt = fromMicros(created), fromMicros(expires)
	copy(h.Key[:], key)
	return h, err
}

// EnrolWorker implements fleet.Store.
func (s *Store) EnrolWorker(ctx context.Context, id core.WorkerTokenID, decide func(fleet.Held) (fleet.Enrolment, error)) (fleet.Worker, error) {
	return writeNew(ctx, s, func(tx *Tx) (fleet.Worker, error) {
		held, err := heldToken(tx, id)
		if err != nil {
			return fleet.Worker{}, err
		}
		e, err := decide(held)
		if err != nil {
			return fleet.Worker{}, err
		}
		switch {
		case e.First:
			err = bindToken(tx, e)
		case e.Changed:
			err = setFacts(tx, e.Worker)
		default:
			return e.Worker, nil
		}
		if err != nil {
			return fleet.Worker{}, err
		}
		return e.Worker, s.audit(tx, e.Audit)
	})
}

// bindToken adds a worker and makes its token its own.
func bindToken(tx *Tx, e fleet.Enrolment) error {
	taken := fault.New(fault.Conflict, "worker_token.taken", "Another worker registered with this token just now.")
	if err := tx.change(taken, `UPDATE worker_tokens SET worker_id = ? WHERE id = ? AND worker_id = ''`, e.Worker.ID, e.Worker.TokenID); err != nil {
		return err
	}
	w := e.Worker
	_, err := tx.exec(`INSERT INTO workers (id, token_id, key, hostname, tags, version, os, arch, epoch, revoked, connected_at, left_at, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?)`,
		w.ID, w.TokenID, e.Key[:], w.Hostname, toJSON(w.Tags), w.Version, w.OS, w.Arch, micros(w.CreatedAt))
	return err
}

func setFacts(tx *Tx, w fleet.Worker) error {
	return tx.change(errWorkerMissing, `UPDATE workers SET hostname = ?, tags = ?, version = ?, os = ?, arch = ? WHERE id = ?`,
		w.Hostname, toJSON(w.Tags), w.Version, w.OS, w.Arch, w.ID)
}
