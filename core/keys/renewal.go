package keys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core"
	"berth/core/seal"
)

// Bounds of a pass.
const (
	batch     = 100             // values read at once
	saveEvery = 2 * time.Second // that progress is stored, for those who watch
	again     = time.Hour       // between two passes when nothing was left: processes may have sealed with an older ring since
)

// Renewal seals anew what was sealed with another than the active key. One process does so at a time; were there
// two, both would do the work and nothing else would happen.
type Renewal struct {
	store Store
	ring  *seal.Ring
	now   core.Clock
	meter Meter

	last Pass // as stored, once it was read
	read bool
}

// Meter is told how it is with the keys.
type Meter interface {
	// KnowKeys sets what is known, and UnknowKeys ends that: another process looks after the keys.
	KnowKeys(ring int, p Pass)
	UnknowKeys()
}

// NewRenewal returns a Renewal.
func NewRenewal(store Store, ring *seal.Ring, meter Meter, now core.Clock) *Renewal {
	return &Renewal{store: store, ring: ring, meter: meter, now: now}
}

// Due makes a pass when there may be something to be sealed anew, and reports whether it did. It is cheap when there is not.
func (r *Renewal) Due(ctx context.Context) (made bool, err error) {
	if !r.read {
		if r.last, err = r.store.LastPass(ctx); err != nil {
			return false, err
		}
		r.read = true
	}
	defer func() { r.meter.KnowKeys(r.ring.Len(), r.last) }()
	if r.ring.Len() == 1 || r.last.Complete(r.ring.Active()) && r.now().Sub(r.last.EndedAt) < again {
		return false, nil
	}
	r.last, err = r.pass(ctx)
	return true, err
}

// Leave is to be called when another process takes over.
func (r *Renewal) Leave() {
	r.read = false
	r.meter.UnknowKeys()
}

// pass looks at everything once. What it returns with an error is not ended.
func (r *Renewal) pass(ctx context.Context) (p Pass, err error) {
	p = Pass{Key: r.ring.Active(), BeganAt: r.now()}
	if err := r.store.SavePass(ctx, p); err != nil {
		return p, err
	}
	saved := p.BeganAt
	for at, end := (Cursor{}), false; !end; {
		var all []Envelope
		all, at, end, err = r.store.Envelopes(ctx, at, batch)
		if err != nil {
			return p, err
		}
		for _, e := range all {
			if err := r.renew(ctx, e, &p); err != nil {
				return p, err
			}
		}
		if r.now().Sub(saved) >= saveEvery {
			saved = r.now()
			if err := r.store.SavePass(ctx, p); err != nil {
				return p, err
			}
		}
	}
	p.EndedAt = r.now()
	return p, r.store.SavePass(ctx, p)
}

// renew looks at one value.
func (r *Renewal) renew(ctx context.Context, e Envelope, p *Pass) error {
	p.Values++
	if !r.ring.Stale(e.Sealed) {
		return nil
	}
	plaintext, err := r.ring.Open(e.Place, e.Sealed)
	if errors.Is(err, seal.ErrOpen) || errors.Is(err, seal.ErrUnknownKey) {
		if p.Lost++; len(p.Damaged) < MaxDamaged {
			p.Damaged = append(p.Damaged, fmt.Sprintf("%s.%s of %s", e.Place.Table, e.Place.Column, e.Row))
		}
		return nil // it was so before, and keeps nothing else from being renewed
	}
	if err != nil {
		return err
	}
	defer clear(plaintext)
	fresh, err := r.ring.Seal(e.Place, plaintext)
	if err != nil {
		return err
	}
	done, err := r.store.Reseal(ctx, e, fresh)
	if done {
		p.Renewed++
	} else if err == nil {
		p.Moved++
	}
	return err
}
