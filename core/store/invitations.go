package store

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var errInvitationMissing = fault.New(fault.NotFound, "invitation.not_found", "There is no such invitation. It may have been used, revoked or have expired.")

const invitationColumns = `id, email, role, invited_by, by_name, created_at, expires_at`

func invitationInto(i *identity.Invitation) (dest []any, finish func()) {
	var created, expires int64
	return []any{&i.ID, &i.Email, &i.Role, &i.By, &i.ByName, &created, &expires},
		func() { i.CreatedAt, i.ExpiresAt = fromMicros(created), fromMicros(expires) }
}

// Invitations lists those that are open, oldest first.
func (s *Store) Invitations(ctx context.Context, ask core.Page) (core.List[identity.Invitation], error) {
	return read(ctx, s, func(tx *Tx) (core.List[identity.Invitation], error) {
		items, err := many(tx, func(row scanner) (identity.Invitation, error) {
			var i identity.Invitation
			dest, finish := invitationInto(&i)
			err := row.Scan(dest...)
			finish()
			return i, err
		}, `SELECT `+invitationColumns+` FROM invitations WHERE id > ? AND expires_at > ? ORDER BY id LIMIT ?`, ask.After, micros(s.now()), ask.Limit+1)
		return page(items, ask, func(i identity.Invitation) string { return string(i.ID) }), err
	})
}

// AddInvitation implements identity.PeopleStore.
func (s *Store) AddInvitation(ctx context.Context, who access.Principal, i identity.StoredInvitation) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := emailFree(tx, i.Email); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM invitations WHERE email = ?`, i.Email); err != nil {
			return err
		}
		if _, err := tx.exec(`INSERT INTO invitations (id, email, role, mac, invited_by, by_name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			i.ID, i.Email, i.Role, i.MAC, i.By, i.ByName, micros(i.CreatedAt), micros(i.ExpiresAt)); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("invitation.create", string(i.ID), fmt.Sprintf("%s: role %s", i.Email, i.Role)))
	})
}

// emailFree refuses an address that a user has.
func emailFree(tx *Tx, email string) error {
	taken, err := many(tx, scalar[string], `SELECT id FROM users WHERE email = ?`, email)
	if err == nil && len(taken) > 0 {
		err = errEmailTaken
	}
	return err
}

// StoredInvitation implements identity.PeopleStore.
func (s *Store) StoredInvitation(ctx context.Context, id core.InvitationID) (identity.StoredInvitation, error) {
	return read(ctx, s, func(tx *Tx) (identity.StoredInvitation, error) {
		return one(tx, errInvitationMissing, func(row scanner) (identity.StoredInvitation, error) {
			var stored identity.StoredInvitation
			dest, finish := invitationInto(&stored.Invitation)
			err := row.Scan(append(dest, &stored.MAC)...)
			finish()
			return stored, err
		}, `SELECT `+invitationColumns+`, mac FROM invitations WHERE id = ?`, id)
	})
}

// AcceptInvitation implements identity.PeopleStore.
func (s *Store) AcceptInvitation(ctx context.Context, who access.Principal, id core.InvitationID, u identity.User, hash string) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := tx.change(errInvitationMissing, `DELETE FROM invitations WHERE id = ? AND role = ? AND email = ?`, id, u.Role, u.Email); err != nil {
			return err
		}
		if err := insertUser(tx, u, hash); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("invitation.accept", string(u.ID), fmt.Sprintf("%s: role %s, invitation %s", u.Email, u.Role, id)))
	})
}

func insertUser(tx *Tx, u identity.User, hash string) error {
	return tx.insert(errEmailTaken, `INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		u.ID, u.Email, u.Name, u.Role, hash, u.Disabled, micros(u.CreatedAt), micros(u.UpdatedAt))
}

// DeleteInvitation revokes an invitation and audits it. NotFound "invitation.not_found".
func (s *Store) DeleteInvitation(ctx context.Context, who access.Principal, id core.InvitationID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		email, err := one(tx, errInvitationMissing, scalar[string], `SELECT email FROM invitations WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if err := tx.change(errInvitationMissing, `DELETE FROM invitations WHERE id = ?`, id); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("invitation.revoke", string(id), email))
	})
}
