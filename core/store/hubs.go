package store

import (
	"context"
	"errors"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
)

const hubColumns = `id, url, pin, pinned, version, started_at, lease_until`

func scanHub(row scanner) (hubs.Hub, error) {
	var h hubs.Hub
	var pin []byte
	var started, until int64
	err := row.Scan(&h.ID, &h.URL, &pin, &h.Pinned, &h.Version, &started, &until)
	copy(h.Pin[:], pin)
	h.StartedAt, h.LeaseUntil = fromMicros(started), fromMicros(until)
	return h, err
}

// errNoHub says that there is no hub to ask; whoever wanted to ask knows what that means.
var errNoHub = fault.New(fault.Unavailable, "hub.away", "No hub runs on this database.").After(5 * time.Second)

var errNoClock = errors.New("the database tells no time")

// clock returns the database's time in microseconds since 1970: leases are by one clock.
func (tx *Tx) clock() (int64, error) {
	return one(tx, errNoClock, scalar[int64], `SELECT `+tx.dialect.Clock)
}

// JoinHubs writes a hub's row; its lease begins. Conflict "hub.release" beside hubs of another release, and "store.newer" when
// a newer program has changed the schema meanwhile.
func (s *Store) JoinHubs(ctx context.Context, h hubs.Hub) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		now, err := tx.clock()
		if err != nil {
			return err
		}
		if err := tx.mayJoin(h, now); err != nil {
			return err
		}
		if _, err = tx.exec(`INSERT INTO hubs (`+hubColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			h.ID, h.URL, h.Pin[:], h.Pinned, h.Version, micros(h.StartedAt), now+hubs.LeaseTime.Microseconds()); err != nil {
			return err
		}
		return tx.began(h, now)
	})
}

// mayJoin says whether a hub may work on the database as it is now, beside those that are there.
func (tx *Tx) mayJoin(h hubs.Hub, now int64) error {
	steps, err := appliedSteps(tx)
	if err != nil {
		return err
	}
	if known := Schema(); len(steps) > known {
		return newer(len(steps), known)
	}
	there, err := many(tx, scanHub, `SELECT `+hubColumns+` FROM hubs WHERE lease_until >= ? ORDER BY started_at, id LIMIT 100`, now)
	if err != nil {
		return err
	}
	return hubs.Beside(h, there)
}

// RenewHub makes a hub's lease longer. NotFound "hub.unknown" when it was taken to be gone.
func (s *Store) RenewHub(ctx context.Context, id core.HubID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		now, err := tx.clock()
		if err != nil {
			return err
		}
		return tx.change(hubs.ErrUnknown, `UPDATE hubs SET lease_until = ? WHERE id = ?`, now+hubs.LeaseTime.Microseconds(), id)
	})
}

// LeaveHubs removes a hub that ends, and marks its workers as gone.
func (s *Store) LeaveHubs(ctx context.Context, id core.HubID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec(`DELETE FROM hubs_gone WHERE id = ?`, id); err != nil { // it was slow, not dead
			return err
		}
		return s.removeHub(tx, id)
	})
}

// ExpireHubs removes the hubs that were not heard of, and marks their workers as gone. What such a
// hub may still want to write is refused: the epochs of its workers are raised.
func (s *Store) ExpireHubs(ctx context.Context) (gone []core.HubID, err error) {
	return write(ctx, s, func(tx *Tx) ([]core.HubID, error) {
		now, err := tx.clock()
		if err != nil {
			return nil, err
		}
		gone, err := many(tx, scalar[core.HubID], `SELECT id FROM hubs WHERE lease_until < ? ORDER BY id LIMIT 100`, now)
		for _, id := range gone {
			if err == nil {
				err = tx.remember(id)
			}
			if err == nil {
				err = s.removeHub(tx, id)
			}
		}
		return gone, err
	})
}

func (s *Store) removeHub(tx *Tx, id core.HubID) error {
	now := micros(s.now())
	if _, err := tx.exec(`UPDATE workers SET left_at = CASE WHEN connected_at > ? THEN connected_at ELSE ? END, epoch = epoch + 1, hub_id = ''
		WHERE hub_id = ?`, now, now, id); err != nil {
		return err
	}
	if err := tx.dropLeases(`holder = ?`, id); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM hubs WHERE id = ?`, id)
	return err
}

// Hubs returns the hubs whose lease runs, oldest first. Unavailable "hub.away" when there is none.
func (s *Store) Hubs(ctx context.Context) ([]hubs.Hub, error) {
	return read(ctx, s, func(tx *Tx) ([]hubs.Hub, error) {
		now, err := tx.clock()
		if err != nil {
			return nil, err
		}
		all, err := many(tx, scanHub, `SELECT `+hubColumns+` FROM hubs WHERE lease_until >= ? ORDER BY started_at, id LIMIT 100`, now)
		if err == nil && len(all) == 0 {
			err = errNoHub
		}
		return all, err
	})
}

// HubAway reports whether nothing is heard of any hub, and since when; the time is zero when it is not
// known. A database on which one server works alone, without a row of its own, has no hub that could be away.
func (s *Store) HubAway(ctx context.Context) (since time.Time, away bool, err error) {
	type answer struct {
		since time.Time
		away  bool
	}
	got, err := read(ctx, s, func(tx *Tx) (answer, error) {
		now, err := tx.clock()
		if err != nil {
			return answer{}, err
		}
		found, err := many(tx, scalar[int64], `SELECT lease_until FROM leases WHERE name = ? AND NOT EXISTS (SELECT 1 FROM hubs WHERE lease_until >= ?)`, hubs.Duties, now)
		if err != nil || len(found) == 0 {
			return answer{}, err
		}
		return answer{lastWord(found[0]), true}, nil
	})
	return got.since, got.away, err
}

// HolderOf returns the hub that holds a lease. Unavailable "hub.away" when none does.
func (s *Store) HolderOf(ctx context.Context, name hubs.LeaseName) (hubs.Hub, error) {
	return read(ctx, s, func(tx *Tx) (hubs.Hub, error) {
		now, err := tx.clock()
		if err != nil {
			return hubs.Hub{}, err
		}
		return one(tx, errNoHub, scanHub, `SELECT `+hubColumns+` FROM hubs WHERE lease_until >= ? AND id = (SELECT holder FROM leases WHERE name = ?)`, now, name)
	})
}

var errOffline = fault.New(fault.Unavailable, "worker.offline",
	"The stack's worker is offline, so its containers cannot be reached. They go on running; try again when the worker is back.").After(10 * time.Second)

// HubOfWorker returns the hub that holds a worker's link. Unavailable "worker.offline", or "hub.away"
// when there is no hub at all: then nobody knows about the worker.
func (s *Store) HubOfWorker(ctx context.Context, id core.WorkerID) (hubs.Hub, error) {
	return read(ctx, s, func(tx *Tx) (hubs.Hub, error) {
		now, err := tx.clock()
		if err != nil {
			return hubs.Hub{}, err
		}
		if _, err := one(tx, errNoHub, scalar[int64], `SELECT count(*) FROM hubs WHERE lease_until >= ? HAVING count(*) > 0`, now); err != nil {
			return hubs.Hub{}, err
		}
		return one(tx, errOffline, scanHub, `SELECT `+hubColumns+` FROM hubs WHERE lease_until >= ? AND id =
			(SELECT hub_id FROM workers WHERE id = ? AND revoked = 0 AND connected_at > left_at)`, now, id)
	})
}
