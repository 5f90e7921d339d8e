package hub

import (
	"context"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
)

// place chooses the worker. A stack that has one keeps it, online or not: the command
// waits for it; so does that of a stack that moves. Otherwise a worker is chosen by tags; when
// none fits the deployment is parked, and waiting says what for.
func (w *work) place(ctx context.Context) (waiting string, err error) {
	workers, err := w.h.opts.Fleet.UsableWorkers(ctx)
	if err != nil {
		return "", err
	}
	given, tags := w.stack.Worker, append(slices.Clone(w.manifest.WorkerTags), w.stack.WorkerTags...)
	if to := w.d.Aim.Worker; to != "" {
		if err := mayMove(workers, given, to); err != nil {
			return "", err
		}
		given = to
	}
	chosen, why := fleet.Place(workers, fleet.Want{Worker: given, Tags: tags})
	if why == "" {
		w.worker = chosen
		return "", nil
	}
	if given == "" {
		w.h.park(w.d.ID, parking{what: waitsForWorker, tags: tags})
		return why, errParked
	}
	i := slices.IndexFunc(workers, func(candidate fleet.Worker) bool { return candidate.ID == given })
	if i < 0 || !workers[i].HasAll(tags) {
		return "", fault.New(fault.Conflict, "worker.unusable", "%s", why)
	}
	w.worker = workers[i]
	return "", nil
}

// mayMove refuses a move that has become pointless or dangerous since it was asked for: in one
// container engine, taking the stack down in the old place takes it down in the new one too.
func mayMove(workers []fleet.Worker, from, to core.WorkerID) error {
	find := func(id core.WorkerID) fleet.Worker {
		i := slices.IndexFunc(workers, func(w fleet.Worker) bool { return w.ID == id })
		if i < 0 {
			return fleet.Worker{ID: id, Revoked: true} // only those that may be used are listed
		}
		return workers[i]
	}
	if why := fleet.WhyNotMove(find(from), find(to)); why != "" {
		return fault.New(fault.Conflict, "worker.unusable", "The stack was not moved: %s. Nothing was changed.", why)
	}
	return nil
}

// parking is a deployment that waits.
type parking struct {
	what  parkedFor
	tags  []string  // that the worker must have
	until time.Time // when it looks again though nothing came
}

// parkedFor is what a deployment waits for.
type parkedFor string

const waitsForWorker parkedFor = "worker"

// parkedTime is when a parked deployment looks again though nothing came: its stack may ask for something else by now.
const parkedTime = time.Minute

// park lets a deployment wait.
func (h *Hub) park(id core.DeploymentID, p parking) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if latest := h.opts.Now().Add(parkedTime); p.until.IsZero() || p.until.After(latest) {
		p.until = latest
	}
	h.waiting[id] = p
}

// parked reports whether a deployment still waits.
func (h *Hub) parked(id core.DeploymentID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, waits := h.waiting[id]
	if waits && h.opts.Now().After(p.until) {
		delete(h.waiting, id)
		return false
	}
	return waits
}

func (h *Hub) unparkOne(id core.DeploymentID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, id)
}

// unpark lets the parked deployments look again for which that which came will do; it reports whether there are any.
func (h *Hub) unpark(what parkedFor, tags []string) (any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, p := range h.waiting {
		if p.what == what && (fleet.Worker{Tags: tags}).HasAll(p.tags) {
			delete(h.waiting, id)
			any = true
		}
	}
	return any
}
