package store

import (
	"context"
	"strconv"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

// settingSetupClosed is there once the first administrator was made, and stays whatever
// becomes of them.
const settingSetupClosed = "setup_closed"

// SetupNeeded implements identity.Founders.
func (s *Store) SetupNeeded(ctx context.Context) (bool, error) { return read(ctx, s, setupNeeded) }

func setupNeeded(tx *Tx) (bool, error) {
	missing := fault.New(fault.Internal, "store.count", "")
	n, err := one(tx, missing, scalar[int], `SELECT (SELECT count(*) FROM settings WHERE name = ?) + (SELECT count(*) FROM users)`, settingSetupClosed)
	return n == 0, err
}

// AddFirstAdministrator implements identity.Founders.
func (s *Store) AddFirstAdministrator(ctx context.Context, who access.Principal, u identity.User, hash string) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		needed, err := setupNeeded(tx)
		if err != nil {
			return err
		}
		if !needed {
			return identity.ErrSetupClosed
		}
		// The primary key decides where two processes got this far at once.
		if err := tx.insert(identity.ErrSetupClosed, `INSERT INTO settings (name, value) VALUES (?, ?)`,
			settingSetupClosed, strconv.FormatInt(micros(u.CreatedAt), 10)); err != nil {
			return err
		}
		if err := insertUser(tx, u, hash); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("setup.complete", string(u.ID), u.Email))
	})
}
