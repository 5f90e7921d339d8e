package metrics

import (
	"io"

	"berth/core"
)

// workerFamilies are the server's own view of each worker. They stay when a worker is
// gone, so that its absence can be seen.
var workerFamilies = []struct {
	name string
	kind Type
	help string
	read func(*worker) (value float64, known bool)
}{
	{"berth_worker_last_seen_timestamp_seconds", TypeGauge, "Time of the worker's last sign of life, since this server started.", func(w *worker) (float64, bool) {
		return float64(w.lastSeen.UnixMilli()) / 1000, !w.lastSeen.IsZero()
	}},
	{"berth_worker_link_round_trip_seconds", TypeGauge, "Round trip of the worker's last heartbeat.", func(w *worker) (float64, bool) {
		return w.rtt.Seconds(), w.up && w.rtt > 0
	}},
	{upName, TypeGauge, upHelp, func(w *worker) (float64, bool) {
		if w.up {
			return 1, true
		}
		return 0, true
	}},
}

// workerLabels are set on every series of a worker, whatever it says itself.
func workerLabels(id core.WorkerID, hostname string) []Label {
	return []Label{{"worker", string(id)}, {"hostname", hostname}}
}

// ownOf renders the server's view of the given workers. The caller holds mu.
func (c *Cache) ownOf(ids []core.WorkerID) []Family {
	var families []Family
	for _, family := range workerFamilies {
		f := Family{Name: family.name, Type: family.kind, Help: family.help}
		for _, id := range ids {
			w := c.workers[id]
			if value, known := family.read(w); known {
				f.Text = appendSeries(f.Text, f.Name, workerLabels(id, w.hostname), value)
				f.Series++
			}
		}
		if f.Series > 0 {
			families = append(families, f)
		}
	}
	return families
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
func Unlinked(to io.Writer, w Registered) error {
	_, err := to.Write(unlinked([]Registered{w}))
	return err
}

// states renders how many workers are online and offline. The caller holds mu.
func (c *Cache) states() Family {
	online := 0
	for _, w := range c.workers {
		if w.up {
			online++
		}
	}
	f := Family{Name: statesName, Type: TypeGauge, Help: "Workers that are registered and not revoked, by state.", Series: 2}
	f.Text = appendSeries(f.Text, f.Name, []Label{{"state", "online"}}, float64(online))
	f.Text = appendSeries(f.Text, f.Name, []Label{{"state", "offline"}}, float64(len(c.workers)-online))
	return f
}

// Names that others need to know.
const (
	statesName = "berth_workers"
	upName     = "berth_worker_up"
	upHelp     = "Whether the worker has a link (1) or not (0)."
)
