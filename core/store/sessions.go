package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

// maxSessions is how many sessions one user keeps; the oldest end beyond that.
const maxSessions = 50

var (
	errSessionMissing = fault.New(fault.NotFound, "session.not_found", "There is no such session.")
	errUserBarred     = fault.New(fault.Unauthenticated, "auth.failed", "The account is disabled or was removed just now.")
)

// StoredSession implements identity.Credentials.
func (s *Store) StoredSession(ctx context.Context, id core.SessionID) (identity.StoredSession, error) {
	return read(ctx, s, func(tx *Tx) (identity.StoredSession, error) {
		return one(tx, errSessionMissing, scanSession, `SELECT `+userColumns+`, sessions.id, sessions.mac, sessions.created_at, sessions.expires_at
			FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.id = ?`, id)
	})
}

func scanSession(row scanner) (identity.StoredSession, error) {
	var stored identity.StoredSession
	var created, expires int64
	dest, finish := userInto(&stored.User)
	err := row.Scan(append(dest, &stored.ID, &stored.MAC, &created, &expires)...)
	finish()
	stored.CreatedAt, stored.ExpiresAt = fromMicros(created), fromMicros(expires)
	return stored, err
}

// OpenSession implements identity.Sessions.
func (s *Store) OpenSession(ctx context.Context, who access.Principal, session identity.StoredSession, replaced core.SessionID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		user := session.User.ID
		now, err := userByID(tx, user)
		if fault.Is(err, fault.NotFound) || err == nil && now.Disabled {
			return errUserBarred
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM sessions WHERE id = ? OR expires_at <= ?`, replaced, micros(s.now())); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM sessions WHERE user_id = ? AND id NOT IN
			(SELECT id FROM sessions WHERE user_id = ? ORDER BY id DESC LIMIT ?)`, user, user, maxSessions-1); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO sessions (id, user_id, mac, address, agent, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			session.ID, user, session.MAC, session.Address, session.Agent, micros(session.CreatedAt), micros(session.ExpiresAt)); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("session.open", string(user), session.Way))
	})
}

// CloseSession implements identity.Sessions.
func (s *Store) CloseSession(ctx context.Context, who access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		n, err := tx.exec(`DELETE FROM sessions WHERE id = ?`, who.Session)
		if err != nil || n == 0 {
			return err
		}
		return s.audit(tx, who.Audit("session.close", who.ID, ""))
	})
}

// OpenSessions implements identity.PeopleStore.
func (s *Store) OpenSessions(ctx context.Context, user core.UserID) ([]identity.OpenSession, error) {
	return read(ctx, s, func(tx *Tx) ([]identity.OpenSession, error) {
		return many(tx, func(row scanner) (identity.OpenSession, error) {
			var o identity.OpenSession
			var created, expires int64
			err := row.Scan(&o.ID, &o.Address, &o.Agent, &created, &expires)
			o.CreatedAt, o.ExpiresAt = fromMicros(created), fromMicros(expires)
			return o, err
		}, `SELECT id, address, agent, created_at, expires_at FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY id DESC LIMIT ?`, user, micros(s.now()), maxSessions)
	})
}

// EndSession implements identity.PeopleStore.
func (s *Store) EndSession(ctx context.Context, who access.Principal, id core.SessionID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errSessionMissing, `DELETE FROM sessions WHERE id = ? AND user_id = ?`, id, who.ID); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("session.end", who.ID, string(id)))
	})
}
