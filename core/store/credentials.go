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

const credentialColumns = `id, name, type, host, username, created_at`

func scanCredential(row scanner) (repositories.Credential, error) {
	var c repositories.Credential
	var created int64
	err := row.Scan(&c.ID, &c.Name, &c.Type, &c.Host, &c.Username, &created)
	c.CreatedAt = fromMicros(created)
	return c, err
}

func credentialByID(tx *Tx, id core.CredentialID, missing error) (repositories.Credential, error) {
	return one(tx, missing, scanCredential, `SELECT `+credentialColumns+` FROM credentials WHERE id = ?`, id)
}

// AddCredential implements repositories.Store.
func (s *Store) AddCredential(ctx context.Context, c repositories.Credential, password seal.Sealed, e access.AuditEvent) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		err := tx.insert(errCredentialNameTaken, `INSERT INTO credentials (`+credentialColumns+`, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			c.ID, c.Name, c.Type, c.Host, c.Username, micros(c.CreatedAt), password)
		if err != nil {
			return err
		}
		return s.audit(tx, e)
	})
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
