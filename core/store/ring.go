package store

import (
	"bytes"
	"context"
	"slices"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/keys"
	"berth/core/seal"
)

// checkName is the row of sealed_settings that proves that the ring opens what it sealed.
const checkName = "key_check"

// KeyRing returns the wrapped data keys; none on a new installation.
func (s *Store) KeyRing(ctx context.Context) ([]seal.WrappedKey, error) {
	return read(ctx, s, keyRing)
}

func keyRing(tx *Tx) ([]seal.WrappedKey, error) {
	return many(tx, func(row scanner) (k seal.WrappedKey, err error) { return k, row.Scan(&k.Number, &k.Wrapped, &k.Active) },
		`SELECT number, wrapped, active FROM key_ring ORDER BY number LIMIT 10000`)
}

// KeyCheck returns the sealed check value. NotFound "key.check_missing" when there is none.
func (s *Store) KeyCheck(ctx context.Context) ([]byte, error) {
	return read(ctx, s, func(tx *Tx) ([]byte, error) {
		return one(tx, fault.New(fault.NotFound, "key.check_missing", "The database has no key check value."), scalar[[]byte],
			`SELECT sealed FROM sealed_settings WHERE name = ?`, checkName)
	})
}

// DataKeys implements keys.Store.
func (s *Store) DataKeys(ctx context.Context) ([]keys.DataKey, error) {
	return read(ctx, s, func(tx *Tx) ([]keys.DataKey, error) {
		return many(tx, func(row scanner) (k keys.DataKey, err error) {
			var created int64
			err = row.Scan(&k.Number, &k.Active, &created)
			k.CreatedAt = fromMicros(created)
			return k, err
		}, `SELECT number, active, created_at FROM key_ring ORDER BY number LIMIT 10000`)
	})
}

// SaveKeyRing implements keys.Store. A key that was there keeps the time when it was made.
func (s *Store) SaveKeyRing(ctx context.Context, was, rows []seal.WrappedKey, check []byte, e access.AuditEvent) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		stored, err := keyRing(tx)
		if err != nil {
			return err
		}
		if !slices.EqualFunc(stored, was, sameKey) {
			return fault.New(fault.Conflict, "key.ring_changed", "Another process changed the key ring just now. Nothing was changed; try again.")
		}
		if err := s.putKeyRing(tx, rows, check); err != nil {
			return err
		}
		return s.audit(tx, e)
	})
}

func sameKey(a, b seal.WrappedKey) bool {
	return a.Number == b.Number && a.Active == b.Active && bytes.Equal(a.Wrapped, b.Wrapped)
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
		if _, err := tx.exec(`INSERT INTO key_ring (number, wrapped, active, created_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (number) DO UPDATE SET wrapped = excluded.wrapped, active = excluded.active`, k.Number, k.Wrapped, k.Active, micros(s.now())); err != nil {
			return err
		}
	}
	_, err := tx.exec(`INSERT INTO sealed_settings (name, public, sealed) VALUES (?, '', ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed`, checkName, check)
	return err
}
