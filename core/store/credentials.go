package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/seal"
)

var (
	errCredentialMissing   = fault.New(fault.NotFound, "credential.not_found", "There is no such repository key.")
	errCredentialNameTaken = fault.New(fault.Conflict, "credential.name_taken", "Another repository key has this name. Choose another.")
)

const credentialColumns = `id, name, type, host, username, created_at, public_key, changed_at, account, connected_by, expires_at`

func scanCredential(row scanner) (repositories.Credential, error) {
	var c repositories.Credential
	var created, changed, expires int64
	err := row.Scan(&c.ID, &c.Name, &c.Type, &c.Host, &c.Username, &created, &c.PublicKey, &changed, &c.Account, &c.ConnectedBy, &expires)
	c.CreatedAt, c.ChangedAt, c.ExpiresAt = fromMicros(created), fromMicros(changed), fromMicros(expires)
	return c, err
}

func credentialByID(tx *Tx, id core.CredentialID, missing error) (repositories.Credential, error) {
	return one(tx, missing, scanCredential, `SELECT `+credentialColumns+` FROM credentials WHERE id = ?`, id)
}

// AddCredential implements repositories.Store.
func (s *Store) AddCredential(ctx context.Context, c repositories.Credential, secret seal.Sealed, e access.AuditEvent) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := insertCredential(tx, c, secret); err != nil {
			return err
		}
		return s.audit(tx, e)
	})
}

func insertCredential(tx *Tx, c repositories.Credential, secret seal.Sealed) error {
	return tx.insert(errCredentialNameTaken, `INSERT INTO credentials (`+credentialColumns+`, sealed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Name, c.Type, c.Host, c.Username, micros(c.CreatedAt), c.PublicKey, micros(c.ChangedAt), c.Account, c.ConnectedBy, micros(c.ExpiresAt), secret)
}

// EditCredential implements repositories.Store.
func (s *Store) EditCredential(ctx context.Context, id core.CredentialID, edit repositories.CredentialEdit, by access.Principal) (repositories.Credential, error) {
	return write(ctx, s, func(tx *Tx) (repositories.Credential, error) {
		c, err := credentialByID(tx, id, errCredentialMissing)
		if err != nil {
			return c, err
		}
		put(&c.Name, edit.Name)
		put(&c.Username, edit.Username)
		put(&c.PublicKey, edit.PublicKey)
		detail := c.Name + " for " + c.Host
		if edit.Secret != nil {
			c.ChangedAt = s.now()
			detail += ", with another secret"
		}
		err = tx.insert(errCredentialNameTaken, `UPDATE credentials SET name = ?, username = ?, public_key = ?, changed_at = ? WHERE id = ?`,
			c.Name, c.Username, c.PublicKey, micros(c.ChangedAt), id)
		if err != nil {
			return c, err
		}
		if err := replaceSecret(tx, c, edit.Secret, by); err != nil {
			return c, err
		}
		return c, s.audit(tx, by.Audit("credential.update", string(id), detail))
	})
}

// replaceSecret stores a credential's other secret and has what is read with it looked at.
func replaceSecret(tx *Tx, c repositories.Credential, secret *seal.Sealed, by access.Principal) error {
	if secret == nil {
		return nil
	}
	if _, err := tx.exec(`UPDATE credentials SET sealed = ? WHERE id = ?`, *secret, c.ID); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = ? WHERE credential_id = ?`, micros(c.ChangedAt), by.Name, c.ID)
	return err
}

// put sets a field that an edit is about.
func put[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// Credential implements repositories.Store.
func (s *Store) Credential(ctx context.Context, id core.CredentialID) (repositories.Credential, seal.Sealed, error) {
	var sealed seal.Sealed
	c, err := read(ctx, s, func(tx *Tx) (repositories.Credential, error) {
		c, err := credentialByID(tx, id, errCredentialMissing)
		if err != nil {
			return c, err
		}
		sealed, err = one(tx, errCredentialMissing, scalar[seal.Sealed], `SELECT sealed FROM credentials WHERE id = ?`, id)
		return c, err
	})
	return c, sealed, err
}

// CredentialList implements repositories.Store.
func (s *Store) CredentialList(ctx context.Context, ask core.Page) (core.List[repositories.Credential], error) {
	return read(ctx, s, func(tx *Tx) (core.List[repositories.Credential], error) {
		items, err := many(tx, scanCredential, `SELECT `+credentialColumns+` FROM credentials WHERE name > ? ORDER BY name LIMIT ?`, ask.After, ask.Limit+1)
		if err != nil {
			return core.List[repositories.Credential]{}, err
		}
		list := page(items, ask, func(c repositories.Credential) string { return c.Name })
		uses, err := credentialUses(tx, ask)
		for i, c := range list.Items {
			list.Items[i].UsedBy = uses[c.ID]
		}
		return list, err
	})
}

// credentialUses returns which repositories use the credentials of a page.
func credentialUses(tx *Tx, ask core.Page) (map[core.CredentialID][]repositories.Use, error) {
	uses := map[core.CredentialID][]repositories.Use{}
	_, err := many(tx, func(row scanner) (repositories.Use, error) {
		var id core.CredentialID
		var use repositories.Use
		err := row.Scan(&id, &use.ID, &use.Name)
		uses[id] = append(uses[id], use)
		return use, err
	}, `SELECT credential_id, id, name FROM repositories
		WHERE credential_id IN (SELECT id FROM credentials WHERE name > ? ORDER BY name LIMIT ?) ORDER BY name LIMIT ?`,
		ask.After, ask.Limit, repositories.MaxRepositories)
	return uses, err
}

// DeleteCredential implements repositories.Store.
func (s *Store) DeleteCredential(ctx context.Context, id core.CredentialID, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		c, err := credentialByID(tx, id, errCredentialMissing)
		if err != nil {
			return err
		}
		if err := s.letGo(tx, c, by); err != nil {
			return err
		}
		users, err := many(tx, scalar[string], `SELECT name FROM repositories WHERE credential_id = ? ORDER BY name LIMIT ?`, id, shownUsers+1)
		if err != nil {
			return err
		}
		if len(users) > 0 {
			return fault.New(fault.Conflict, "credential.in_use",
				"The repository key %q is used by repositories: %s. Choose another key for those, or none, first.", c.Name, someNames(users))
		}
		if err := tx.change(errCredentialMissing, `DELETE FROM credentials WHERE id = ?`, id); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("credential.delete", string(id), c.Name+" for "+c.Host))
	})
}

// letGo takes a key that was made by connecting a Git host from the repositories that use it: deleting it cuts the
// access at once. They are looked at again, and tell that they cannot be read.
func (s *Store) letGo(tx *Tx, c repositories.Credential, by access.Principal) error {
	if c.Type != repositories.TypeOAuth {
		return nil
	}
	now := micros(s.now())
	_, err := tx.exec(`UPDATE repositories SET credential_id = NULL, asked_at = ?, asked_by = ?, updated_at = ? WHERE credential_id = ?`, now, by.Name, now, c.ID)
	return err
}
