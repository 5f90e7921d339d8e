package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
	"berth/core/seal"
)

// KnownHubs returns the hubs that are there, oldest first, and after them those that died without a
// word and are not forgotten yet; see hubs.Remember. Where one server works alone there is none.
func (s *Store) KnownHubs(ctx context.Context) ([]hubs.Known, error) {
	return read(ctx, s, func(tx *Tx) ([]hubs.Known, error) {
		now, err := tx.clock()
		if err != nil {
			return nil, err
		}
		all, err := many(tx, scanKnown(now), `SELECT h.id, h.url, h.pin, h.version, h.started_at, h.lease_until,
			(SELECT count(*) FROM workers w WHERE w.hub_id = h.id AND w.revoked = 0 AND w.connected_at > w.left_at),
			(SELECT count(*) FROM leases l WHERE l.name = ? AND l.holder = h.id AND l.lease_until >= ?)
			FROM hubs h WHERE h.lease_until >= ? OR NOT EXISTS (SELECT 1 FROM hubs n WHERE n.url = h.url AND n.started_at > h.started_at)
			ORDER BY h.started_at, h.id LIMIT 100`, hubs.Duties, now, now)
		if err != nil {
			return nil, err
		}
		lease := hubs.LeaseTime.Microseconds()
		gone, err := many(tx, scanKnown(now), `SELECT id, url, NULL, version, started_at, heard_at + ?, 0, 0 FROM hubs_gone WHERE heard_at > ? ORDER BY started_at, id LIMIT 100`,
			lease, now-hubs.Remember.Microseconds())
		return append(all, gone...), err
	})
}

func scanKnown(now int64) func(scanner) (hubs.Known, error) {
	return func(row scanner) (hubs.Known, error) {
		var k hubs.Known
		var pin []byte
		var started, until, leads int64
		err := row.Scan(&k.ID, &k.URL, &pin, &k.Version, &started, &until, &k.Workers, &leads)
		copy(k.Pin[:], pin)
		k.StartedAt, k.LeaseUntil, k.HeardAt = fromMicros(started), fromMicros(until), fromMicros(max(0, until-hubs.LeaseTime.Microseconds()))
		k.Up = until >= now
		k.Leads = k.Up && leads > 0
		if !k.Up {
			k.Workers = 0 // nobody knows whether it still holds their links
		}
		return k, err
	}
}

// remember keeps a hub known that died, unless it was started again meanwhile.
func (tx *Tx) remember(id core.HubID) error {
	_, err := tx.exec(`INSERT INTO hubs_gone (id, url, version, started_at, heard_at) SELECT id, url, version, started_at, lease_until - ? FROM hubs h
		WHERE id = ? AND NOT EXISTS (SELECT 1 FROM hubs n WHERE n.url = h.url AND n.started_at > h.started_at)`, hubs.LeaseTime.Microseconds(), id)
	return err
}

// began notes what a hub that joins changes of what is remembered.
func (tx *Tx) began(h hubs.Hub, now int64) error {
	if _, err := tx.exec(`DELETE FROM hubs_gone WHERE url = ? OR heard_at <= ?`, h.URL, now-hubs.Remember.Microseconds()); err != nil {
		return err
	}
	_, err := tx.exec(`INSERT INTO worker_port (name, pin, pinned) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET pin = excluded.pin, pinned = excluded.pinned`,
		workerPort, h.Pin[:], h.Pinned)
	return err
}

// workerPort names the only row of the table worker_port.
const workerPort = "workers"

var errNoHubYet = fault.New(fault.Unavailable, "hub.away",
	"No hub ever ran on this database, so the key that a new worker is to trust is not known, and no token was made. Start a hub on this database first.").After(5 * time.Second)

// WorkerPortPin returns the pin of the key that hubs show to workers, and whether tokens carry it, as
// the hub said that joined last; it need not be there any more. Unavailable "hub.away" when none ever did.
func (s *Store) WorkerPortPin(ctx context.Context) (seal.Pin, bool, error) {
	h, err := read(ctx, s, func(tx *Tx) (hubs.Hub, error) {
		return one(tx, errNoHubYet, func(row scanner) (h hubs.Hub, err error) {
			var pin []byte
			err = row.Scan(&pin, &h.Pinned)
			copy(h.Pin[:], pin)
			return h, err
		}, `SELECT pin, pinned FROM worker_port WHERE name = ?`, workerPort)
	})
	return h.Pin, h.Pinned, err
}
