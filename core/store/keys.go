package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var (
	errKeyMissing  = fault.New(fault.NotFound, "api_key.not_found", "There is no such API key.")
	errKeyExpired  = fault.New(fault.Conflict, "api_key.expired", "The API key has expired, so nothing can be changed over from it any more. Make a new one.")
	errTooManyKeys = fault.New(fault.Conflict, "api_key.too_many", "A service account has at most %d API keys. Delete one that is not used any more.", identity.MaxKeys)
)

const keyColumns = `api_keys.id, api_keys.account_id, api_keys.name, api_keys.created_at, api_keys.expires_at,
	api_keys.last_used_at, api_keys.last_used_from, api_keys.followed_by`

// keyInto returns where keyColumns are scanned to, and what completes k afterwards.
func keyInto(k *identity.APIKey) (dest []any, finish func()) {
	var created, expires, used int64
	return []any{&k.ID, &k.Account, &k.Name, &created, &expires, &used, &k.LastUsedFrom, &k.FollowedBy},
		func() {
			k.CreatedAt, k.ExpiresAt, k.LastUsedAt = fromMicros(created), fromMicros(expires), fromMicros(used)
		}
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
		if err := insertKey(tx, a, k, mac); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("api_key.create", string(k.ID), a.Name+": "+k.Name))
	})
}

func insertKey(tx *Tx, a identity.ServiceAccount, k identity.APIKey, mac []byte) error {
	if len(a.Keys) >= identity.MaxKeys {
		return errTooManyKeys
	}
	_, err := tx.exec(`INSERT INTO api_keys (id, account_id, name, mac, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
		k.ID, k.Account, k.Name, mac, micros(k.CreatedAt), micros(k.ExpiresAt))
	return err
}

// keyFollowed refuses to rotate a key again, whose life was cut short when by followed it.
func keyFollowed(by core.APIKeyID) error {
	return fault.New(fault.Conflict, "api_key.followed",
		"The API key was rotated before, so its life was cut short; %s follows it and lives on. Rotate that one, or make a new key when it is gone.", by)
}

// RotateAPIKey implements identity.AccountStore.
func (s *Store) RotateAPIKey(ctx context.Context, who access.Principal, old core.APIKeyID, k identity.APIKey, mac []byte, until time.Time) (identity.APIKey, error) {
	return writeNew(ctx, s, func(tx *Tx) (identity.APIKey, error) {
		a, err := accountByID(tx, k.Account)
		if err != nil {
			return k, err
		}
		at := slices.IndexFunc(a.Keys, func(known identity.APIKey) bool { return known.ID == old })
		if at < 0 {
			return k, errKeyMissing
		}
		before := a.Keys[at]
		if before.FollowedBy != "" {
			return k, keyFollowed(before.FollowedBy)
		}
		if before.Expired(k.CreatedAt) {
			return k, errKeyExpired
		}
		k.Name = before.Name
		if !before.ExpiresAt.IsZero() {
			k.ExpiresAt = k.CreatedAt.Add(before.ExpiresAt.Sub(before.CreatedAt))
		}
		if err := insertKey(tx, a, k, mac); err != nil {
			return k, err
		}
		if before.ExpiresAt.IsZero() || until.Before(before.ExpiresAt) {
			before.ExpiresAt = until
		}
		if err := tx.change(errKeyMissing, `UPDATE api_keys SET expires_at = ?, followed_by = ? WHERE id = ?`, micros(before.ExpiresAt), k.ID, old); err != nil {
			return k, err
		}
		return k, s.audit(tx, who.Audit("api_key.rotate", string(old), fmt.Sprintf("%s: %s, followed by %s, good until %s", a.Name, k.Name, k.ID, before.ExpiresAt.UTC().Format(time.RFC3339))))
	})
}

// NoteKeyUsed implements identity.Credentials.
func (s *Store) NoteKeyUsed(ctx context.Context, id core.APIKeyID, at, since time.Time, address string) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE api_keys SET last_used_at = ?, last_used_from = ? WHERE id = ? AND last_used_at < ?`, micros(at), address, id, micros(since))
		return err
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
