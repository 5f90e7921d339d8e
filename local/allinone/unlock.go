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

// vault is the open database with its keys, and what looks after its files.
type vault struct {
	db      *store.DB
	store   *store.Store
	ring    *seal.Ring
	keeper  *sqlite.Keeper
	release func() error // gives the database to another server
}

// close closes what is open; it is called once, after everything that uses the database has ended.
func (v *vault) close() (err error) {
	if v.keeper != nil {
		err = v.keeper.Close()
	}
	if v.db != nil {
		err = errors.Join(err, v.db.Close())
	}
	return errors.Join(err, v.release())
}

// openVault opens the database and its keys, for this process alone. A wrong SECRET_KEY and damage
// are found by reading only: the database stays as it is, byte for byte.
func openVault(ctx context.Context, cfg Config, roomy func(bool)) (*vault, error) {
	if !cfg.Server.DatabaseURL.Empty() {
		return nil, fmt.Errorf("%w: DATABASE_URL is set, but this release keeps its data in the embedded SQLite only; unset it", ErrRefused)
	}
	release, err := sqlite.Claim(ctx, cfg.Server.DBDataDir)
	if err != nil {
		return nil, cannotOpen(err)
	}
	v := &vault{release: release}
	if err := v.open(ctx, cfg, roomy); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (v *vault) open(ctx context.Context, cfg Config, roomy func(bool)) (err error) {
	dir := cfg.Server.DBDataDir
	if err := inspect(ctx, cfg); err != nil {
		return err
	}
	if v.db, err = sqlite.Open(ctx, dir, cfg.broken); err != nil {
		return cannotOpen(err)
	}
	if v.keeper, err = sqlite.Keep(ctx, v.db, dir, cfg.Log, roomy); err != nil {
		return cannotOpen(err)
	}
	if err := v.db.Migrate(ctx, cfg.Now()); err != nil {
		return refusedIf(err, fault.Conflict)
	}
	v.store = store.New(v.db, cfg.Now)
	v.ring, err = openRing(ctx, cfg, v.store)
	return err
}

// cannotOpen marks as a refusal what a person must put right before the next start.
func cannotOpen(err error) error {
	if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.Conflict) {
		return err
	}
	if cause := errors.Unwrap(err); cause != nil {
		return fmt.Errorf("%w: %s (%w)", ErrRefused, fault.PublicOf(err), cause)
	}
	return fmt.Errorf("%w: %s", ErrRefused, fault.PublicOf(err))
}

// refusedIf marks err as a refusal when it is a fault of this kind.
func refusedIf(err error, kind fault.Kind) error {
	if fault.Is(err, kind) {
		return fmt.Errorf("%w: %s", ErrRefused, fault.PublicOf(err))
	}
	return err
}

// inspect checks an existing database, and the key against it, without writing to it.
func inspect(ctx context.Context, cfg Config) error {
	db, err := sqlite.Inspect(ctx, cfg.Server.DBDataDir)
	if err != nil || db == nil {
		return cannotOpen(err)
	}
	defer db.Close()
	if err := db.Check(ctx); err != nil {
		return err
	}
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
	case fault.CodeOf(err) == "store.damaged":
		return config.ExitDamaged
	case fault.CodeOf(err) == "store.broken":
		return config.ExitBroken
	}
	return 1
}
