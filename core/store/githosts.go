package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/seal"
)

// SpendState implements repositories.GitHostStore.
func (s *Store) SpendState(ctx context.Context, nonce string, until time.Time) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		return tx.insert(repositories.ErrStateUsed, `INSERT INTO spent_states (nonce, expires_at) VALUES (?, ?)`, nonce, micros(until))
	})
}

// Connect implements repositories.GitHostStore.
func (s *Store) Connect(ctx context.Context, c repositories.Credential, sealed func(repositories.Credential) (seal.Sealed, error), by access.Principal) (repositories.Credential, error) {
	return writeNew(ctx, s, func(tx *Tx) (repositories.Credential, error) {
		known, err := one(tx, errCredentialMissing, scanCredential, `SELECT `+credentialColumns+` FROM credentials
			WHERE type = ? AND host = ? AND account = ? ORDER BY id LIMIT 1`, repositories.TypeOAuth, c.Host, c.Account)
		store := s.reconnect
		switch {
		case fault.Is(err, fault.NotFound):
			store = s.connect
		case err != nil:
			return c, err
		default:
			known.Username, known.ConnectedBy, known.ExpiresAt, known.ChangedAt = c.Username, c.ConnectedBy, c.ExpiresAt, c.CreatedAt
			c = known
		}
		token, err := sealed(c)
		if err != nil {
			return c, err
		}
		if c, err = store(tx, c, token); err != nil {
			return c, err
		}
		return c, s.audit(tx, by.Audit("credential.connect", string(c.ID), c.Name+" for "+c.Host))
	})
}

// connect stores the key of an account that has none yet. Somebody may have given its name to another key.
func (s *Store) connect(tx *Tx, c repositories.Credential, token seal.Sealed) (repositories.Credential, error) {
	same, err := many(tx, scalar[string], `SELECT name FROM credentials WHERE name = ?`, c.Name)
	if err != nil {
		return c, err
	}
	if len(same) > 0 {
		c.Name += c.CreatedAt.UTC().Format(" 2006-01-02 15:04:05")
	}
	return c, insertCredential(tx, c, token)
}

// reconnect puts a new token into the key of an account, and has what is read with it looked at.
func (s *Store) reconnect(tx *Tx, c repositories.Credential, token seal.Sealed) (repositories.Credential, error) {
	if _, err := tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = ? WHERE credential_id = ?`, micros(c.ChangedAt), c.ConnectedBy, c.ID); err != nil {
		return c, err
	}
	return c, tx.change(errCredentialMissing, `UPDATE credentials SET username = ?, sealed = ?, connected_by = ?, expires_at = ?, changed_at = ?, renewing_until = 0 WHERE id = ?`,
		c.Username, token, c.ConnectedBy, micros(c.ExpiresAt), micros(c.ChangedAt), c.ID)
}

// Connection implements repositories.GitHostStore.
func (s *Store) Connection(ctx context.Context, host, by string) (repositories.Credential, seal.Sealed, error) {
	id, err := read(ctx, s, func(tx *Tx) (core.CredentialID, error) {
		return one(tx, errCredentialMissing, scalar[core.CredentialID], `SELECT id FROM credentials
			WHERE type = ? AND host = ? AND connected_by = ? ORDER BY id DESC LIMIT 1`, repositories.TypeOAuth, host, by)
	})
	if err != nil {
		return repositories.Credential{}, nil, err
	}
	return s.Credential(ctx, id)
}

// ClaimRenewal implements repositories.GitHostStore.
func (s *Store) ClaimRenewal(ctx context.Context, id core.CredentialID, until time.Time) (bool, error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		n, err := tx.exec(`UPDATE credentials SET renewing_until = ? WHERE id = ? AND renewing_until <= ?`, micros(until), id, micros(s.now()))
		return n == 1, err
	})
}

// Renewed implements repositories.GitHostStore.
func (s *Store) Renewed(ctx context.Context, id core.CredentialID, token seal.Sealed, expires time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		return tx.change(errCredentialMissing, `UPDATE credentials SET sealed = ?, expires_at = ?, renewing_until = 0 WHERE id = ?`, token, micros(expires), id)
	})
}
