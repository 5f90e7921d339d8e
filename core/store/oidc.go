package store

import (
	"cmp"
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var errProviderMissing = fault.New(fault.NotFound, "oidc.not_linked", "This account is not linked to single sign-on.")

// ProviderUser implements identity.ProviderStore.
func (s *Store) ProviderUser(ctx context.Context, issuer, subject string) (identity.ProviderUser, error) {
	return read(ctx, s, func(tx *Tx) (identity.ProviderUser, error) {
		return one(tx, errProviderMissing, func(row scanner) (identity.ProviderUser, error) {
			var u identity.ProviderUser
			dest, finish := userInto(&u.User)
			err := row.Scan(append(dest, &u.Made)...)
			finish()
			return u, err
		}, `SELECT `+userColumns+`, oidc_identities.made FROM oidc_identities JOIN users ON users.id = oidc_identities.user_id
			WHERE oidc_identities.issuer = ? AND oidc_identities.subject = ?`, issuer, subject)
	})
}

// AddProviderUser implements identity.ProviderStore. An empty hash fits no password.
func (s *Store) AddProviderUser(ctx context.Context, who access.Principal, u identity.User, issuer, subject string) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := insertUser(tx, u, ""); err != nil {
			return err
		}
		if err := s.insertProvider(tx, u.ID, issuer, subject, true); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("user.create", string(u.ID), fmt.Sprintf("%s: role %s, by single sign-on at %s", u.Email, u.Role, issuer)))
	})
}

func (s *Store) insertProvider(tx *Tx, user core.UserID, issuer, subject string, made bool) error {
	return tx.insert(identity.ErrLinked, `INSERT INTO oidc_identities (issuer, subject, user_id, made, created_at) VALUES (?, ?, ?, ?, ?)`,
		issuer, subject, user, made, micros(s.now()))
}

// ProviderLink implements identity.ProviderStore.
func (s *Store) ProviderLink(ctx context.Context, user core.UserID, issuer string) (identity.ProviderLink, error) {
	return read(ctx, s, func(tx *Tx) (identity.ProviderLink, error) { return providerLink(tx, user, issuer) })
}

func providerLink(tx *Tx, user core.UserID, issuer string) (identity.ProviderLink, error) {
	return one(tx, errProviderMissing, func(row scanner) (identity.ProviderLink, error) {
		var l identity.ProviderLink
		var at int64
		err := row.Scan(&l.Made, &at)
		l.At = fromMicros(at)
		return l, err
	}, `SELECT made, created_at FROM oidc_identities WHERE user_id = ? AND issuer = ?`, user, issuer)
}

// RefreshRole implements identity.ProviderStore.
func (s *Store) RefreshRole(ctx context.Context, who access.Principal, id core.UserID, role access.Role) (user identity.User, kept bool, err error) {
	user, err = write(ctx, s, func(tx *Tx) (identity.User, error) {
		kept = false // it may be tried again
		u, err := userByID(tx, id)
		if err != nil {
			return u, err
		}
		want := cmp.Or(role, access.Roles[0])
		switch {
		case u.Role == want && role == "":
			return u, endTrust(tx, id)
		case u.Role == want:
			return u, nil
		}
		others, err := one(tx, errUserMissing, scalar[int], `SELECT count(*) FROM users WHERE role = ? AND disabled = 0 AND id <> ?`, access.RoleAdmin, id)
		if err != nil {
			return u, err
		}
		if kept = u.Role == access.RoleAdmin && others == 0; kept { // nobody would be left to administer
			provider := access.System
			provider.Address = who.Address
			return u, s.audit(tx, provider.Audit("user.keep_admin", string(id), fmt.Sprintf("%s: the last administrator stays one, though single sign-on says %q", u.Email, role)))
		}
		before, provider := u, access.System // it is not the person's own act, who only came back from there
		provider.Address = who.Address
		u.Role, u.UpdatedAt = want, fromMicros(micros(s.now()))
		return u, s.changeUser(tx, provider, before, u, ", by single sign-on")
	})
	return user, kept, err
}

// LinkProvider implements identity.ProviderStore.
func (s *Store) LinkProvider(ctx context.Context, who access.Principal, issuer, subject string) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := s.insertProvider(tx, core.UserID(who.ID), issuer, subject, false); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("oidc.link", who.ID, issuer))
	})
}

// UnlinkProvider implements identity.ProviderStore.
func (s *Store) UnlinkProvider(ctx context.Context, who access.Principal, issuer string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		link, err := providerLink(tx, core.UserID(who.ID), issuer)
		if err != nil {
			return err
		}
		if link.Made {
			return identity.ErrMade
		}
		if err := tx.change(errProviderMissing, `DELETE FROM oidc_identities WHERE user_id = ? AND issuer = ?`, who.ID, issuer); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("oidc.unlink", who.ID, issuer))
	})
}
