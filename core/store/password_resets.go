package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var errResetMissing = fault.New(fault.NotFound, "reset.not_found", "There is no such link for a new password. It may have been used or have expired.")

// UserWithPassword implements identity.PeopleStore.
func (s *Store) UserWithPassword(ctx context.Context, id core.UserID) (identity.User, string, error) {
	return s.userWithPassword(ctx, `users.id = ?`, id)
}

var errUserDisabled = fault.New(fault.Conflict, "user.disabled", "The user is disabled, and no link would let them in. Enable them first.")

// AddReset implements identity.PeopleStore.
func (s *Store) AddReset(ctx context.Context, who access.Principal, r identity.StoredReset) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		u, err := userByID(tx, r.User)
		if err != nil {
			return err
		}
		if u.Disabled {
			return errUserDisabled
		}
		if _, err := tx.exec(`DELETE FROM password_resets WHERE user_id = ? AND id NOT IN
			(SELECT id FROM password_resets WHERE user_id = ? ORDER BY id DESC LIMIT ?)`, r.User, r.User, identity.MaxResets-1); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO password_resets (id, user_id, mac, by_name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			r.ID, r.User, r.MAC, r.ByName, micros(r.CreatedAt), micros(r.ExpiresAt)); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("user.reset_link", string(u.ID), u.Email))
	})
}

// StoredReset implements identity.PeopleStore.
func (s *Store) StoredReset(ctx context.Context, id core.ResetID) (identity.StoredReset, error) {
	return read(ctx, s, func(tx *Tx) (identity.StoredReset, error) {
		return one(tx, errResetMissing, func(row scanner) (identity.StoredReset, error) {
			var r identity.StoredReset
			var created, expires int64
			dest, finish := userInto(&r.Owner)
			err := row.Scan(append(dest, &r.ID, &r.MAC, &r.ByName, &created, &expires)...)
			finish()
			r.User, r.CreatedAt, r.ExpiresAt = r.Owner.ID, fromMicros(created), fromMicros(expires)
			return r, err
		}, `SELECT `+userColumns+`, password_resets.id, password_resets.mac, password_resets.by_name, password_resets.created_at, password_resets.expires_at
			FROM password_resets JOIN users ON users.id = password_resets.user_id WHERE password_resets.id = ?`, id)
	})
}

// SpendReset implements identity.PeopleStore.
func (s *Store) SpendReset(ctx context.Context, who access.Principal, id core.ResetID, hash string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errResetMissing, `DELETE FROM password_resets WHERE id = ? AND user_id = ?`, id, who.ID); err != nil {
			return err
		}
		if err := setPassword(tx, s, who, hash); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("user.reset_password", who.ID, ""))
	})
}

// setPassword stores a password and ends what was made before it, but for the session that who asks with.
func setPassword(tx *Tx, s *Store, who access.Principal, hash string) error {
	if err := tx.change(errUserMissing, `UPDATE users SET password = ?, updated_at = ? WHERE id = ?`, hash, micros(s.now()), who.ID); err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM sessions WHERE user_id = ? AND id <> ?`, who.ID, who.Session); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM password_resets WHERE user_id = ?`, who.ID)
	return err
}

// SetPassword implements identity.PeopleStore.
func (s *Store) SetPassword(ctx context.Context, who access.Principal, hash string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := setPassword(tx, s, who, hash); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("profile.password", who.ID, ""))
	})
}

// ChangeProfile implements identity.PeopleStore. Links that went to an address before are good no more.
func (s *Store) ChangeProfile(ctx context.Context, who access.Principal, u identity.User) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		before, err := userByID(tx, u.ID)
		if err != nil {
			return err
		}
		if err := tx.insert(errEmailTaken, `UPDATE users SET name = ?, email = ?, updated_at = ? WHERE id = ?`, u.Name, u.Email, micros(u.UpdatedAt), u.ID); err != nil {
			return err
		}
		detail := "name"
		if before.Email != u.Email {
			detail = before.Email + " is now " + u.Email
			if _, err := tx.exec(`DELETE FROM password_resets WHERE user_id = ?`, u.ID); err != nil {
				return err
			}
		}
		return s.audit(tx, who.Audit("profile.change", string(u.ID), detail))
	})
}
