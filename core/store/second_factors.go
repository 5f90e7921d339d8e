package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

var (
	errFactorMissing = fault.New(fault.NotFound, "second_factor.not_found", "There is no second factor: this account has none.")
	errFactorThere   = fault.New(fault.Conflict, "second_factor.there", "This account has a second factor already. Remove it first, to set up another.")
)

// SecondFactor implements identity.FactorStore.
func (s *Store) SecondFactor(ctx context.Context, user core.UserID) (seal.Sealed, error) {
	return read(ctx, s, func(tx *Tx) (seal.Sealed, error) {
		return one(tx, errFactorMissing, scalar[seal.Sealed], `SELECT sealed FROM second_factors WHERE user_id = ?`, user)
	})
}

// SpendStep implements identity.FactorStore.
func (s *Store) SpendStep(ctx context.Context, user core.UserID, step int64) (bool, error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		n, err := tx.exec(`UPDATE second_factors SET step = ? WHERE user_id = ? AND step < ?`, step, user, step)
		return n == 1, err
	})
}

// SpendRecovery implements identity.FactorStore.
func (s *Store) SpendRecovery(ctx context.Context, who access.Principal, mac []byte) (bool, error) {
	return write(ctx, s, func(tx *Tx) (bool, error) {
		n, err := tx.exec(`DELETE FROM recovery_codes WHERE user_id = ? AND mac = ?`, who.ID, mac)
		if err != nil || n == 0 {
			return false, err
		}
		return true, s.audit(tx, who.Audit("second_factor.recovery", who.ID, "a recovery code was used"))
	})
}

// SetSecondFactor implements identity.FactorStore.
func (s *Store) SetSecondFactor(ctx context.Context, who access.Principal, sealed seal.Sealed, step int64, recovery [][]byte) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := tx.insert(errFactorThere, `INSERT INTO second_factors (user_id, sealed, step, created_at) VALUES (?, ?, ?, ?)`, who.ID, sealed, step, micros(s.now())); err != nil {
			return err
		}
		for _, mac := range recovery {
			if _, err := tx.exec(`INSERT INTO recovery_codes (user_id, mac) VALUES (?, ?)`, who.ID, mac); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`DELETE FROM sessions WHERE user_id = ? AND id <> ?`, who.ID, who.Session); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("second_factor.create", who.ID, ""))
	})
}

// RemoveSecondFactor implements identity.FactorStore.
func (s *Store) RemoveSecondFactor(ctx context.Context, who access.Principal, user core.UserID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errFactorMissing, `DELETE FROM second_factors WHERE user_id = ?`, user); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM recovery_codes WHERE user_id = ?`, user); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("second_factor.delete", string(user), ""))
	})
}
