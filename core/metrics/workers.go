package metrics

import (
	"io"

	"berth/core"
)

// workerFamilies are the hub's own view of each worker. They stay when a worker is
// gone, so that its absence can be seen.
var workerFamilies = []struct {
	name string
	kind Type
	help string
	read func(*worker) (value float64, known bool)
	once bool // whether a compressed exposition shows a change at once, too
}{
	{"berth_worker_last_seen_timestamp_seconds", TypeGauge, "Time of the worker's last sign of life, since this server started.", func(w *worker) (float64, bool) {
		return float64(w.lastSeen.UnixMilli()) / 1000, !w.lastSeen.IsZero()
	}, false},
	{"berth_worker_link_round_trip_seconds", TypeGauge, "Round trip of the worker's last heartbeat.", func(w *worker) (float64, bool) {
		return w.rtt.Seconds(), w.up && w.rtt > 0
	}, false},
	{upName, TypeGauge, upHelp, func(w *worker) (float64, bool) {
		if w.up {
			return 1, true
		}
		return 0, true
	}, true},
}

// typicalSeries is about how long a line of the hub's view is, in bytes.
const typicalSeries = 160

// workerLabels are set on every series of a worker, whatever it says itself.
func workerLabels(id core.WorkerID, hostname string) []Label {
	return []Label{{"worker", string(id)}, {"hostname", hostname}}
}

// show brings the hub's view of a worker up to date. The caller holds mu.
func (c *Cache) show(id core.WorkerID, w *worker) {
	labels := workerLabels(id, w.hostname)
	text := make([]byte, 0, typicalSeries) // put copies it
	for _, view := range workerFamilies {
		f := c.open(view.name, view.kind, view.help)
		value, known := view.read(w)
		if !known {
			c.leave(f, w)
			continue
		}
		text = appendSeries(text[:0], view.name, labels, value)
		if changed := f.put(w.rank, text); changed && view.once {
			f.spoil(w.rank)
		}
	}
}

// hide takes the hub's view of a worker away. The caller holds mu.
func (c *Cache) hide(w *worker) {
	for _, view := range workerFamilies {
		if f, found := c.families[view.name]; found {
			c.leave(f, w)
		}
	}
}

// unlinked renders workers that have no link; nothing when there are none.
func unlinked(workers []Registered) []byte {
	if len(workers) == 0 {
		return nil
	}
	text := header(upName, TypeGauge, upHelp)
	for _, w := range workers {
		text = appendSeries(text, upName, workerLabels(w.ID, w.Hostname), 0)
	}
	return text
}

// Unlinked writes the metrics of a registered worker that no hub knows: it is down.
func Unlinked(to io.Writer, f Format, w Registered) error {
	return merge(to, f, nil, []Registered{w})
}

// counted says how many workers there are. The caller holds mu.
func (c *Cache) counted() { c.own.workers.know(c.online, len(c.workers)-c.online) }

// Names that others need to know.
const (
	statesName = "berth_workers"
	upName     = "berth_worker_up"
	upHelp     = "Whether the worker has a link (1) or not (0)."
)
