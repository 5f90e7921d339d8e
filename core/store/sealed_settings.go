package store

import (
	"context"

	"berth/core/fault"
	"berth/core/seal"
)

var (
	errSettingMissing = fault.New(fault.NotFound, "setting.not_found", "There is no such setting.")
	errSettingThere   = fault.New(fault.Conflict, "setting.exists", "This setting was made just now by another process.")
)

// SealedSetting returns what is kept under a name: a part that everybody may see, and an
// envelope for Place{"sealed_settings", name, "sealed"}. NotFound "setting.not_found".
func (s *Store) SealedSetting(ctx context.Context, name string) (public string, sealed seal.Sealed, err error) {
	err = s.db.Read(ctx, func(tx *Tx) error {
		_, err := one(tx, errSettingMissing, func(row scanner) (struct{}, error) { return struct{}{}, row.Scan(&public, &sealed) },
			`SELECT public, sealed FROM sealed_settings WHERE name = ?`, name)
		return err
	})
	return public, sealed, err
}

// AddSealedSetting keeps something that is made once. Conflict "setting.exists".
func (s *Store) AddSealedSetting(ctx context.Context, name, public string, sealed seal.Sealed) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		return tx.insert(errSettingThere, `INSERT INTO sealed_settings (name, public, sealed) VALUES (?, ?, ?)`, name, public, sealed)
	})
}
