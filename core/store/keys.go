package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var (
	errKeyMissing  = fault.New(fault.NotFound, "api_key.not_found", "There is no such API key.")
	errTooManyKeys = fault.New(fault.Conflict, "api_key.too_many", "A service account has at most %d API keys. Delete one that is not used any more.", identity.MaxKeys)
)

const keyColumns = `api_keys.id, api_keys.account_id, api_keys.name, api_keys.created_at, api_keys.expires_at`

// keyInto returns where keyColumns are scanned to, and what completes k afterwards.
func keyInto(k *identity.APIKey) (dest []any, finish func()) {
	var created, expires int64
	return []any{&k.ID, &k.Account, &k.Name, &created, &expires},
		func() { k.CreatedAt, k.ExpiresAt = fromMicros(created), fromMicros(expires) }
}

func scanKey(row scanner) (identity.APIKey, error) {
	var k identity.APIKey
	dest, finish := keyInto(&k)
	err := row.Scan(dest...)
	finish()
	return k, err
}

// StoredKey implements identity.Credentials. A key is not read again while nothing was committed since:
// scrapers and scripts show the same one again and again.
func (s *Store) StoredKey(ctx context.Context, id core.APIKeyID) (identity.StoredKey, error) {
	commits := s.db.commits.Load() // before it is read
	if key, kept := s.keys.get(s.db, id, commits); kept {
		return key, nil
	}
	key, err := s.storedKey(ctx, id)
	if err == nil {
		s.keys.put(id, key, commits)
	}
	return key, err
}

func (s *Store) storedKey(ctx context.Context, id core.APIKeyID) (identity.StoredKey, error) {
	return read(ctx, s, func(tx *Tx) (identity.StoredKey, error) {
		return one(tx, errKeyMissing, func(row scanner) (identity.StoredKey, error) {
			var stored identity.StoredKey
			key, finishKey := keyInto(&stored.Key)
			account, finishAccount := accountInto(&stored.Account)
			err := row.Scan(append(append(key, account...), &stored.MAC)...)
			finishKey()
			finishAccount()
			return stored, err
		}, `SELECT `+keyColumns+`, `+accountColumns+`, api_keys.mac
			FROM api_keys JOIN service_accounts ON service_accounts.id = api_keys.account_id WHERE api_keys.id = ?`, id)
	})
}

// AddAPIKey implements identity.AccountStore.
func (s *Store) AddAPIKey(ctx context.Context, who access.Principal, k identity.APIKey, mac []byte) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		a, err := accountByID(tx, k.Account)
		if err != nil {
			return err
		}
		if len(a.Keys) >= identity.MaxKeys {
			return errTooManyKeys
		}
		if _, err := tx.exec(`INSERT INTO api_keys (id, account_id, name, mac, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
			k.ID, k.Account, k.Name, mac, micros(k.CreatedAt), micros(k.ExpiresAt)); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("api_key.create", string(k.ID), a.Name+": "+k.Name))
	})
}

// DeleteAPIKey revokes a key of a service account for good and audits it. NotFound
// "api_key.not_found", also when the key belongs to another account.
func (s *Store) DeleteAPIKey(ctx context.Context, who access.Principal, account core.ServiceAccountID, id core.APIKeyID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errKeyMissing, `DELETE FROM api_keys WHERE id = ? AND account_id = ?`, id, account); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("api_key.delete", string(id), string(account)))
	})
}
