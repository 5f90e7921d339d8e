package keys

import (
	"context"
	"errors"
	"strconv"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
)

// Desk tells of the keys, and adds one.
type Desk struct {
	store Store
	ring  *seal.Ring
	key   seal.SecretKey
	now   core.Clock
}

// NewDesk returns a Desk. key is SECRET_KEY; a new data key is wrapped under it.
func NewDesk(store Store, ring *seal.Ring, key seal.SecretKey, now core.Clock) *Desk {
	return &Desk{store, ring, key, now}
}

// Status is how it is with the keys.
type Status struct {
	CheckValue string    // of SECRET_KEY; public
	Keys       []DataKey // by number
	Pass       Pass      // the last one; zero: none was needed
}

// Active returns the number of the active key.
func (s Status) Active() uint32 {
	for _, k := range s.Keys {
		if k.Active {
			return k.Number
		}
	}
	return 0
}

// Complete reports whether everything that can be opened is sealed with the active key.
func (s Status) Complete() bool { return len(s.Keys) == 1 || s.Pass.Complete(s.Active()) }

// Status returns how it is with the keys.
func (d *Desk) Status(ctx context.Context) (s Status, err error) {
	s.CheckValue = d.key.CheckValue()
	if s.Keys, err = d.store.DataKeys(ctx); err == nil {
		s.Pass, err = d.store.LastPass(ctx)
	}
	return s, err
}

// Rotate adds a data key, with which everything is sealed from now on; what is there is sealed anew in the
// background. Conflict "key.rotating" while that goes on, "key.changing" while SECRET_KEY is being changed.
func (d *Desk) Rotate(ctx context.Context, who access.Principal) (Status, error) {
	before, err := d.Status(ctx)
	if err != nil {
		return Status{}, err
	}
	if !before.Complete() {
		return Status{}, errRunning
	}
	rows, err := d.store.KeyRing(ctx)
	if err != nil {
		return Status{}, err
	}
	stored, err := seal.OpenRing(d.key, rows)
	if errors.Is(err, seal.ErrWrongKey) {
		return Status{}, errRing
	}
	if err != nil {
		return Status{}, err
	}
	newer, err := stored.AddKey()
	if err != nil {
		return Status{}, err
	}
	wrapped, err := newer.Wrap(d.key)
	if err != nil {
		return Status{}, err
	}
	e := who.Audit("data_key.create", strconv.FormatUint(uint64(newer.Active()), 10), "everything is sealed with it from now on")
	if err := d.store.SaveKeyRing(ctx, rows, wrapped, newer.SealCheck(), e); err != nil {
		return Status{}, err
	}
	if err := d.ring.Adopt(newer); err != nil {
		return Status{}, err
	}
	return d.Status(ctx)
}
