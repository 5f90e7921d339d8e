package hub

import (
	"context"
	"math"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/metrics"
)

// telemetryEvery is how often it is read how the hosts of linked workers are. A reading takes the place of the one
// before in its slot, so that what is stored is at most this old.
const telemetryEvery = time.Minute

// telemetry remembers how much of a host's processors was used when its slot began, so that a reading is of the whole slot.
type telemetry struct {
	begins map[core.WorkerID]usage // of the goroutine that reads
}

// usage is how much of a host's processors had been used at a time.
type usage struct {
	slot        int
	busy, spent float64 // when the slot began
	last        metrics.HostSight
}

// readHosts stores how the hosts of the workers are that are linked here, until ctx ends.
func (h *Hub) readHosts(ctx context.Context) {
	t := telemetry{begins: map[core.WorkerID]usage{}}
	for ctx.Err() == nil {
		wait(ctx, telemetryEvery)
		member := ctx
		if h.opts.Peers != nil {
			if member, _ = h.members.now(); member == nil {
				continue // what is written now would not count
			}
		}
		h.safely("telemetry", func() {
			h.report("how the hosts of workers are cannot be stored; it is tried again in a minute", h.saveReadings(member, &t))
		})
	}
}

func (h *Hub) saveReadings(ctx context.Context, t *telemetry) error {
	all := t.readings(h.opts.Snapshots.Hosts(), h.opts.Now())
	if len(all) == 0 || ctx.Err() != nil {
		return nil
	}
	return h.opts.Store.SaveReadings(ctx, all)
}

// readings turns what was seen into readings, and forgets hosts that are not seen any more.
func (t *telemetry) readings(seen map[core.WorkerID]metrics.HostSight, now time.Time) (all []fleet.Reading) {
	begins := make(map[core.WorkerID]usage, len(seen))
	for id, sight := range seen {
		u, known := t.begins[id]
		slot := fleet.Slot(now)
		switch {
		case !known || sight.Spent < u.last.Spent: // the host has begun anew
			u = usage{slot: slot, busy: sight.Busy, spent: sight.Spent}
		case u.slot != slot:
			u = usage{slot: slot, busy: u.last.Busy, spent: u.last.Spent}
		}
		u.last = sight
		begins[id] = u
		all = append(all, reading(id, sight, u, now))
	}
	t.begins = begins
	return all
}

func reading(id core.WorkerID, h metrics.HostSight, u usage, now time.Time) fleet.Reading {
	r := fleet.Reading{Worker: id, At: now, CPU: fleet.Unread, Load: int(whole(1000 * h.Load)), CPUs: int(whole(h.CPUs)),
		Memory: whole(h.Memory - h.Available), MemoryTotal: whole(h.Memory), Disk: whole(h.Disk - h.Free), DiskTotal: whole(h.Disk)}
	if spent := h.Spent - u.spent; spent > 0 {
		r.CPU = int(min(1000, whole(1000*(h.Busy-u.busy)/spent)))
	}
	return r
}

// whole rounds what a worker says. What is not known, or cannot be, is fleet.Unread.
func whole(v float64) int64 {
	if math.IsNaN(v) || v < 0 || v > math.MaxInt64/2000 { // times a thousand it is still a number of the database
		return fleet.Unread
	}
	return int64(math.Round(v))
}
