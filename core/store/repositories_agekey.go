package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/seal"
)

var errAgeKeyMoved = fault.New(fault.Conflict, "repository.key_moved", "The repository's age key was changed just now. Look at the key that it has, and try again if need be.")

// ageKeyOf is the sealed private key of a repository that is added; NULL when it has none.
func ageKeyOf(r repositories.Repository) seal.Sealed {
	if r.AgeKey == nil {
		return nil
	}
	return *r.AgeKey
}

// AgeKey implements repositories.Store.
func (s *Store) AgeKey(ctx context.Context, id core.RepositoryID) (public string, private seal.Sealed, err error) {
	private, err = read(ctx, s, func(tx *Tx) (seal.Sealed, error) {
		return one(tx, errRepositoryMissing, func(row scanner) (sealed seal.Sealed, err error) {
			return sealed, row.Scan(&public, &sealed)
		}, `SELECT sops_age_public_key, sops_age_key FROM repositories WHERE id = ?`, id)
	})
	return public, private, err
}

// ReplaceAgeKey implements repositories.Store.
func (s *Store) ReplaceAgeKey(ctx context.Context, id core.RepositoryID, before, public string, private seal.Sealed, e *access.AuditEvent) (repositories.Repository, error) {
	return write(ctx, s, func(tx *Tx) (repositories.Repository, error) {
		if _, err := repositoryByID(tx, id); err != nil {
			return repositories.Repository{}, err
		}
		err := tx.change(errAgeKeyMoved, `UPDATE repositories SET sops_age_public_key = ?, sops_age_key = ? WHERE id = ? AND sops_age_public_key = ?`,
			public, private, id, before)
		if err == nil && e != nil {
			err = s.audit(tx, *e)
		}
		if err != nil {
			return repositories.Repository{}, err
		}
		return repositoryByID(tx, id)
	})
}

// WithoutAgeKey implements repositories.Store.
func (s *Store) WithoutAgeKey(ctx context.Context, limit int) ([]core.RepositoryID, error) {
	return read(ctx, s, func(tx *Tx) ([]core.RepositoryID, error) {
		return many(tx, scalar[core.RepositoryID], `SELECT id FROM repositories WHERE sops_age_public_key = '' ORDER BY id LIMIT ?`, limit)
	})
}
