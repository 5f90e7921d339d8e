package store

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
)

// TakeLease gives a lease to a hub: one that nobody holds, or whose holder was not heard of, or that
// it holds already, which renews it. Conflict "hub.lease_held" while another holds it.
func (s *Store) TakeLease(ctx context.Context, name hubs.LeaseName, holder core.HubID) (hubs.Lease, error) {
	return write(ctx, s, func(tx *Tx) (hubs.Lease, error) {
		now, err := tx.clock()
		if err != nil {
			return hubs.Lease{}, err
		}
		until := now + hubs.LeaseTime.Microseconds()
		renewed, err := tx.exec(`UPDATE leases SET lease_until = ? WHERE name = ? AND holder = ? AND lease_until > 0`, until, name, holder)
		if err == nil && renewed == 0 {
			var taken int64
			taken, err = tx.exec(`UPDATE leases SET holder = ?, epoch = epoch + 1, lease_until = ? WHERE name = ? AND lease_until < ?`, holder, until, name, now)
			if err == nil && taken == 0 {
				// Another hub's row is nothing that the database is to log as an error, every few seconds.
				err = tx.change(errHeld, `INSERT INTO leases (name, holder, epoch, lease_until) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING`, name, holder, until)
			}
		}
		if err != nil {
			return hubs.Lease{}, err
		}
		epoch, err := one(tx, errHeld, scalar[int64], `SELECT epoch FROM leases WHERE name = ?`, name)
		return hubs.Lease{Name: name, Holder: holder, Epoch: uint64(epoch)}, err
	})
}

var errHeld = fault.New(fault.Conflict, "hub.lease_held", "Another hub holds this lease.")

// DropLease gives a lease back, so that another hub need not wait for its end.
func (s *Store) DropLease(ctx context.Context, l hubs.Lease) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		return tx.dropLeases(`name = ? AND holder = ? AND epoch = ? AND lease_until > 0`, l.Name, l.Holder, int64(l.Epoch))
	})
}

// dropLeases ends leases. A lease that was given back keeps that time with a minus sign: nobody holds
// it, whoever comes next may take it.
func (tx *Tx) dropLeases(where string, args ...any) error {
	now, err := tx.clock()
	if err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE leases SET lease_until = ? WHERE `+where, append([]any{-now}, args...)...)
	return err
}

// guarded returns fn with the fences of ctx before it.
func guarded(ctx context.Context, fn func(*Tx) error) func(*Tx) error {
	fences := hubs.Fences(ctx)
	if len(fences) == 0 {
		return fn
	}
	return func(tx *Tx) error {
		for _, f := range fences {
			if err := tx.check(f); err != nil {
				return err
			}
		}
		return fn(tx)
	}
}

// check returns hubs.ErrLost when a fence does not hold. Whoever takes over changes the row that is
// read here, so that this transaction and that one cannot both be committed unless this came first.
func (tx *Tx) check(f hubs.Fence) error {
	held := func(query string, args ...any) error {
		_, err := one(tx, hubs.ErrLost, scalar[int64], query, args...)
		return err
	}
	if f.Lease != (hubs.Lease{}) {
		if err := held(`SELECT 1 FROM leases WHERE name = ? AND holder = ? AND epoch = ? AND lease_until > 0`, f.Lease.Name, f.Lease.Holder, int64(f.Lease.Epoch)); err != nil {
			return err
		}
	}
	if f.Hub != "" {
		if err := held(`SELECT 1 FROM hubs WHERE id = ?`, f.Hub); err != nil {
			return err
		}
	}
	if f.Worker != "" {
		return held(`SELECT 1 FROM workers WHERE id = ? AND epoch = ?`, f.Worker, int64(f.Epoch))
	}
	return nil
}
