package allinone

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"berth/core/access"
	"berth/core/config"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
)

// ErrRefused marks errors for which the process ends with config.ExitConfig: what was
// configured cannot work, and nothing was changed.
var ErrRefused = errors.New("start refused")

// ErrAway marks errors for which the process ends with config.ExitAway: whoever starts it may try
// again by itself.
var ErrAway = errors.New("the database is away")

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
// when SECRET_KEY has changed. It begins anew when another process that starts just now did so first.
func openRing(ctx context.Context, cfg Config, st *store.Store) (*seal.Ring, error) {
	for {
		ring, err := openRingOnce(ctx, cfg, st)
		if code := fault.CodeOf(err); code != "key.ring_there" && code != "key.ring_changed" || ctx.Err() != nil {
			return ring, err
		}
	}
}

func openRingOnce(ctx context.Context, cfg Config, st *store.Store) (*seal.Ring, error) {
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
	check := cfg.Server.SecretKey.CheckValue()
	e := access.System.Audit("key_ring.rewrap", "", "the keys are wrapped under the SECRET_KEY with the check value "+check)
	if err := st.SaveKeyRing(ctx, rows, rewrapped, ring.SealCheck(), e); err != nil {
		return nil, err
	}
	cfg.Log.Info("the key ring is wrapped under the new SECRET_KEY; SECRET_KEY_PREVIOUS can be unset", "check_value", check)
	return ring, nil
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
	return ring, st.AddKeyRing(ctx, rows, ring.SealCheck())
}

// ExitCode is what the process ends with for an error of Run.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrRefused), fault.CodeOf(err) == "store.newer":
		return config.ExitConfig
	case errors.Is(err, ErrAway), errors.Is(err, ErrOccupied):
		return config.ExitAway
	case fault.CodeOf(err) == "store.damaged":
		return config.ExitDamaged
	case fault.CodeOf(err) == "store.broken":
		return config.ExitBroken
	}
	return 1
}
