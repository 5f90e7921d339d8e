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
// waits for it. Otherwise a worker is chosen by tags; when none fits the deployment is
// parked, and waiting says what for.
func (w *work) place(ctx context.Context) (waiting string, err error) {
	workers, err := w.h.opts.Fleet.UsableWorkers(ctx)
	if err != nil {
		return "", err
	}
	tags := append(slices.Clone(w.manifest.WorkerTags), w.stack.WorkerTags...)
	chosen, why := fleet.Place(workers, fleet.Want{Worker: w.stack.Worker, Tags: tags})
	if why == "" {
		w.worker = chosen
		return "", nil
	}
	if w.stack.Worker == "" {
		w.h.park(w.d.ID, tags)
		return why, errParked
	}
	i := slices.IndexFunc(workers, func(candidate fleet.Worker) bool { return candidate.ID == w.stack.Worker })
	if i < 0 || !workers[i].HasAll(tags) {
		return "", fault.New(fault.Conflict, "worker.unusable", "%s", why)
	}
	w.worker = workers[i]
	return "", nil
}

// parking is a deployment that waits for a worker.
type parking struct {
	since time.Time
	tags  []string // that the worker must have
}

// parkedFor is when a parked deployment looks again even if no worker came: its stack may
// ask for something else by now.
const parkedFor = time.Minute

// park lets a deployment wait until a worker connects that has these tags.
func (h *Hub) park(id core.DeploymentID, tags []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting[id] = parking{h.opts.Now(), tags}
}

// parked reports whether a deployment still waits.
func (h *Hub) parked(id core.DeploymentID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, waits := h.waiting[id]
	if waits && h.opts.Now().Sub(p.since) > parkedFor {
		delete(h.waiting, id)
		return false
	}
	return waits
}

// unpark lets the parked deployments look again for which a worker with these tags will do.
func (h *Hub) unpark(tags []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, p := range h.waiting {
		if (fleet.Worker{Tags: tags}).HasAll(p.tags) {
			delete(h.waiting, id)
		}
	}
}
