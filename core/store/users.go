package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var (
	errUserMissing = fault.New(fault.NotFound, "user.not_found", "There is no such user.")
	errEmailTaken  = fault.New(fault.Conflict, "user.email_taken", "Another user has this e-mail address.")
	errLastAdmin   = fault.New(fault.Conflict, "user.last_admin",
		"This is the last administrator who can sign in. Make somebody else an administrator first.")
)

const userColumns = `users.id, users.email, users.name, users.role, users.disabled, users.created_at, users.updated_at,
	EXISTS (SELECT 1 FROM second_factors WHERE second_factors.user_id = users.id),
	EXISTS (SELECT 1 FROM oidc_identities WHERE oidc_identities.user_id = users.id AND oidc_identities.made <> 0)`

// userInto returns where userColumns are scanned to, and what completes u afterwards.
func userInto(u *identity.User) (dest []any, finish func()) {
	var created, updated int64
	return []any{&u.ID, &u.Email, &u.Name, &u.Role, &u.Disabled, &created, &updated, &u.SecondFactor, &u.SignOn},
		func() { u.CreatedAt, u.UpdatedAt = fromMicros(created), fromMicros(updated) }
}

func scanUser(row scanner) (identity.User, error) {
	var u identity.User
	dest, finish := userInto(&u)
	err := row.Scan(dest...)
	finish()
	return u, err
}

// Users lists users, oldest first.
func (s *Store) Users(ctx context.Context, ask core.Page) (core.List[identity.User], error) {
	return read(ctx, s, func(tx *Tx) (core.List[identity.User], error) {
		items, err := many(tx, scanUser, `SELECT `+userColumns+` FROM users WHERE id > ? ORDER BY id LIMIT ?`, ask.After, ask.Limit+1)
		return page(items, ask, func(u identity.User) string { return string(u.ID) }), err
	})
}

func userByID(tx *Tx, id core.UserID) (identity.User, error) {
	return one(tx, errUserMissing, scanUser, `SELECT `+userColumns+` FROM users WHERE id = ?`, id)
}

// UserByEmail implements identity.Sessions.
func (s *Store) UserByEmail(ctx context.Context, email string) (identity.User, string, error) {
	return s.userWithPassword(ctx, `users.email = ?`, email)
}

// userWithPassword returns the user that a condition names, and the hash of their password.
func (s *Store) userWithPassword(ctx context.Context, where string, arg any) (identity.User, string, error) {
	var hash string
	user, err := read(ctx, s, func(tx *Tx) (identity.User, error) {
		return one(tx, errUserMissing, func(row scanner) (identity.User, error) {
			var u identity.User
			dest, finish := userInto(&u)
			err := row.Scan(append(dest, &hash)...)
			finish()
			return u, err
		}, `SELECT `+userColumns+`, users.password FROM users WHERE `+where, arg)
	})
	return user, hash, err
}

// ChangeUser changes role or state of a user, ends their sessions when either differs,
// and audits it. NotFound "user.not_found", Conflict "user.last_admin".
func (s *Store) ChangeUser(ctx context.Context, who access.Principal, id core.UserID, change identity.UserChange) (identity.User, error) {
	u, err := write(ctx, s, func(tx *Tx) (identity.User, error) {
		u, err := userByID(tx, id)
		if err != nil {
			return u, err
		}
		before := u
		if change.Role != nil {
			u.Role = *change.Role
		}
		if change.Disabled != nil {
			u.Disabled = *change.Disabled
		}
		if u == before {
			return u, nil
		}
		u.UpdatedAt = fromMicros(micros(s.now())) // as it will be read
		return u, s.changeUser(tx, who, before, u, "")
	})
	return u, s.noteLastAdmin(ctx, who.Audit("user.change", string(id), "the last administrator stays one"), err)
}

// noteLastAdmin notes in the audit that err kept the last administrator; what it was to be was rolled back with its own line. It
// returns err.
func (s *Store) noteLastAdmin(ctx context.Context, e access.AuditEvent, err error) error {
	if errors.Is(err, errLastAdmin) {
		_ = s.RecordEvent(ctx, e.With(access.Refused)) // the refusal stands, also when it cannot be written down
	}
	return err
}

// changeUser stores what differs of before. by says for the audit how that came about; empty: who did it by themselves.
func (s *Store) changeUser(tx *Tx, who access.Principal, before, u identity.User, by string) error {
	if err := tx.change(errUserMissing, `UPDATE users SET role = ?, disabled = ?, updated_at = ? WHERE id = ?`,
		u.Role, u.Disabled, micros(u.UpdatedAt), u.ID); err != nil {
		return err
	}
	if err := keepAdmin(tx); err != nil {
		return err
	}
	if err := endTrust(tx, u.ID); err != nil {
		return err
	}
	return s.audit(tx, who.Audit("user.change", string(u.ID), u.Email+": "+changeOf(before, u)+by))
}

// changeOf says for people what differs between two states of a user.
func changeOf(before, u identity.User) string {
	var changed []string
	if u.Role != before.Role {
		changed = append(changed, fmt.Sprintf("role %s, was %s", u.Role, before.Role))
	}
	if u.Disabled != before.Disabled {
		changed = append(changed, map[bool]string{true: "disabled", false: "enabled again"}[u.Disabled])
	}
	return strings.Join(changed, "; ")
}

// endTrust ends all that somebody held under the role or state that they had: their sessions, links for a new
// password, and invitations that they made.
func endTrust(tx *Tx, id core.UserID) error {
	for _, query := range []string{`DELETE FROM sessions WHERE user_id = ?`, `DELETE FROM password_resets WHERE user_id = ?`, `DELETE FROM invitations WHERE invited_by = ?`} {
		if _, err := tx.exec(query, id); err != nil {
			return err
		}
	}
	return nil
}

// DeleteUser removes a user with their sessions and audits it. NotFound
// "user.not_found", Conflict "user.last_admin".
func (s *Store) DeleteUser(ctx context.Context, who access.Principal, id core.UserID) error {
	err := s.db.Write(ctx, func(tx *Tx) error {
		u, err := userByID(tx, id)
		if err != nil {
			return err
		}
		if err := endTrust(tx, id); err != nil {
			return err
		}
		if err := tx.change(errUserMissing, `DELETE FROM users WHERE id = ?`, id); err != nil {
			return err
		}
		if err := keepAdmin(tx); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("user.delete", string(id), u.Email))
	})
	return s.noteLastAdmin(ctx, who.Audit("user.delete", string(id), "the last administrator stays"), err)
}

// keepAdmin refuses a transaction after which nobody could administer. It looks at the
// result rather than at who is changed, so that no way of losing the last one is missed.
func keepAdmin(tx *Tx) error {
	left, err := one(tx, errUserMissing, scalar[int], `SELECT count(*) FROM users WHERE role = ? AND disabled = 0`, access.RoleAdmin)
	if err == nil && left == 0 {
		err = errLastAdmin
	}
	return err
}
