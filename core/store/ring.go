package store

import (
	"context"

	"berth/core/fault"
	"berth/core/seal"
)

// checkName is the row of sealed_settings that proves that the ring opens what it sealed.
const checkName = "key_check"

// KeyRing returns the wrapped data keys; none on a new installation.
func (s *Store) KeyRing(ctx context.Context) ([]seal.WrappedKey, error) {
	return read(ctx, s, func(tx *Tx) ([]seal.WrappedKey, error) {
		return many(tx, func(row scanner) (k seal.WrappedKey, err error) { return k, row.Scan(&k.Number, &k.Wrapped, &k.Active) },
			`SELECT number, wrapped, active FROM key_ring ORDER BY number LIMIT 10000`)
	})
}

// KeyCheck returns the sealed check value. NotFound "key.check_missing" when there is none.
func (s *Store) KeyCheck(ctx context.Context) ([]byte, error) {
	return read(ctx, s, func(tx *Tx) ([]byte, error) {
		return one(tx, fault.New(fault.NotFound, "key.check_missing", "The database has no key check value."), scalar[[]byte],
			`SELECT sealed FROM sealed_settings WHERE name = ?`, checkName)
	})
}

// SaveKeyRing replaces the wrapped data keys and the check value in one transaction.
func (s *Store) SaveKeyRing(ctx context.Context, rows []seal.WrappedKey, check []byte) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`DELETE FROM key_ring`); err != nil {
			return err
		}
		return s.putKeyRing(tx, rows, check)
	})
}

// AddKeyRing stores the first wrapped data keys and their check value. Conflict "key.ring_there" when
// there are some: what those have sealed, others could never open.
func (s *Store) AddKeyRing(ctx context.Context, rows []seal.WrappedKey, check []byte) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		n, err := one(tx, nil, scalar[int], `SELECT count(*) FROM key_ring`)
		if err != nil {
			return err
		}
		if n > 0 {
			return fault.New(fault.Conflict, "key.ring_there", "The database has keys already: another process made them just now. Start again.")
		}
		return s.putKeyRing(tx, rows, check)
	})
}

func (s *Store) putKeyRing(tx *Tx, rows []seal.WrappedKey, check []byte) error {
	for _, k := range rows {
		if _, err := tx.exec(`INSERT INTO key_ring (number, wrapped, active, created_at) VALUES (?, ?, ?, ?)`, k.Number, k.Wrapped, k.Active, micros(s.now())); err != nil {
			return err
		}
	}
	_, err := tx.exec(`INSERT INTO sealed_settings (name, public, sealed) VALUES (?, '', ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed`, checkName, check)
	return err
}
