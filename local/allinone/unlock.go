package allinone

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"berth/core/config"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

// ErrRefused marks errors for which the process ends with config.ExitConfig: what was
// configured cannot work, and nothing was changed.
var ErrRefused = errors.New("start refused")

// openStore opens the database and its keys. A wrong SECRET_KEY is found by reading only:
// the database stays as it is, byte for byte.
func openStore(ctx context.Context, cfg Config) (*store.DB, *store.Store, *seal.Ring, error) {
	if !cfg.Server.DatabaseURL.Empty() {
		return nil, nil, nil, fmt.Errorf("%w: DATABASE_URL is set, but this release keeps its data in the embedded SQLite only; unset it", ErrRefused)
	}
	if err := inspect(ctx, cfg); err != nil {
		return nil, nil, nil, err
	}
	db, err := sqlite.Open(ctx, cfg.Server.DBDataDir, cfg.broken)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%w: %s (%w)", ErrRefused, fault.PublicOf(err), err)
	}
	if err := db.Migrate(ctx, cfg.Now()); err != nil {
		return nil, nil, nil, errors.Join(refusedIf(err, fault.Conflict), db.Close())
	}
	st := store.New(db, cfg.Now)
	ring, err := openRing(ctx, cfg, st)
	if err != nil {
		return nil, nil, nil, errors.Join(err, db.Close())
	}
	return db, st, ring, nil
}

// refusedIf marks err as a refusal when it is a fault of this kind.
func refusedIf(err error, kind fault.Kind) error {
	if fault.Is(err, kind) {
		return fmt.Errorf("%w: %s", ErrRefused, fault.PublicOf(err))
	}
	return err
}

// inspect checks the key against an existing database without writing to it.
func inspect(ctx context.Context, cfg Config) error {
	db, err := sqlite.Inspect(ctx, cfg.Server.DBDataDir)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	fresh, err := db.Fresh(ctx)
	if err != nil || fresh {
		return err
	}
	st := store.New(db, cfg.Now)
	rows, err := st.KeyRing(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	_, _, err = unlock(ctx, cfg, st, rows)
	return err
}

// unlock opens the ring and proves it on the check row.
func unlock(ctx context.Context, cfg Config, st *store.Store, rows []seal.WrappedKey) (*seal.Ring, []seal.WrappedKey, error) {
	ring, rewrapped, err := seal.Unlock(cfg.Server.SecretKey, cfg.Server.SecretKeyPrevious, rows)
	if errors.Is(err, seal.ErrWrongKey) {
		return nil, nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open key ring: %w", err)
	}
	check, err := st.KeyCheck(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := ring.OpenCheck(check); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return ring, rewrapped, nil
}

// openRing opens the key ring, makes it on a new installation, and stores it rewrapped
// when SECRET_KEY has changed.
func openRing(ctx context.Context, cfg Config, st *store.Store) (*seal.Ring, error) {
	rows, err := st.KeyRing(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return newRing(ctx, cfg, st)
	}
	ring, rewrapped, err := unlock(ctx, cfg, st, rows)
	if err != nil || rewrapped == nil {
		return ring, err
	}
	cfg.Log.Info("the key ring is wrapped under the new SECRET_KEY; SECRET_KEY_PREVIOUS can be unset", "check_value", cfg.Server.SecretKey.CheckValue())
	return ring, st.SaveKeyRing(ctx, rewrapped, ring.SealCheck())
}

func newRing(ctx context.Context, cfg Config, st *store.Store) (*seal.Ring, error) {
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		return nil, err
	}
	rows, err := ring.Wrap(cfg.Server.SecretKey)
	if err != nil {
		return nil, err
	}
	return ring, st.SaveKeyRing(ctx, rows, ring.SealCheck())
}

// ExitCode is what the process ends with for an error of Run.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRefused):
		return config.ExitConfig
	}
	return 1
}
