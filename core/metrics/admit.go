package metrics

import (
	"slices"
	"strings"
	"time"

	"berth/core"
)

// admit adds or replaces one family of a worker, or says why not. The caller holds mu.
func (c *Cache) admit(id core.WorkerID, w *worker, f Family) Reason {
	i, found := slices.BinarySearchFunc(w.reports, f.Name, byName)
	if found && w.reports[i].family.kind != f.Type { // it changed its type: it ends first
		c.end(id, w, f.Name)
		found = false
	}
	was := report{}
	oldBytes := 0
	if found {
		was = w.reports[i]
		oldBytes = len(was.family.part(id))
	}
	more := len(f.Text) - oldBytes
	switch {
	case w.series-was.series+f.Series > MaxSeries, !found && len(w.reports) >= maxReported:
		return TooMany
	case w.bytes+more > MaxSnapshot, c.bytes+c.pieces+more > c.limit:
		return TooLarge
	}
	family, reason := c.claim(f)
	if reason != "" {
		return reason
	}
	family.put(id, f.Text)
	w.series, w.bytes, c.bytes = w.series-was.series+f.Series, w.bytes+more, c.bytes+more
	if found {
		w.reports[i].series = f.Series
	} else {
		w.reports = slices.Insert(w.reports, i, report{family, f.Series})
	}
	return ""
}

// claim returns the family that f belongs to, making it when it is the first of its name. A series must
// belong to one family only, whoever reports it: readers of the text format take x_count for a part of
// the histogram x. The caller holds mu.
func (c *Cache) claim(f Family) (*shared, Reason) {
	if own, reserved := c.reserved[f.Name]; reserved && (own != f.Type || strings.HasPrefix(f.Name, "berth_")) {
		return nil, Clash
	}
	ours, said := reportedFamilies[f.Name]
	if said && ours.kind != f.Type || !said && notForWorkers(f.Name) {
		return nil, Clash
	}
	if said {
		f.Help = ours.help // whatever the worker that comes first says
	}
	if known, found := c.families[f.Name]; found {
		if known.kind != f.Type {
			return nil, Clash
		}
		return known, ""
	}
	if len(c.families) >= maxFamilies {
		return nil, TooMany
	}
	samples := f.Type.samples(f.Name)
	for _, sample := range samples {
		if owner, taken := c.owners[sample]; taken && owner != f.Name {
			return nil, Clash
		}
	}
	c.take(f.Name, f.Type)
	return c.open(f.Name, f.Type, f.Help), ""
}

// notForWorkers reports whether a family has a name that scrapers and their rules make series of, or one
// that nothing is left of in OpenMetrics, where info and counter have names without their ending.
func notForWorkers(name string) bool {
	return strings.Contains(name, ":") || name == "up" || name == "_info" || name == "_total" ||
		strings.HasPrefix(name, "scrape_") || strings.HasPrefix(name, "ALERTS")
}

// end takes one family of a worker away. The caller holds mu.
func (c *Cache) end(id core.WorkerID, w *worker, name string) {
	i, found := slices.BinarySearchFunc(w.reports, name, byName)
	if !found {
		return
	}
	r := w.reports[i]
	bytes := len(r.family.part(id))
	c.bytes, w.bytes, w.series = c.bytes-bytes, w.bytes-bytes, w.series-r.series
	w.reports = slices.Delete(w.reports, i, i+1)
	c.leave(r.family, id)
}

// drop takes away all that a worker reported. The caller holds mu.
func (c *Cache) drop(id core.WorkerID, w *worker) {
	for _, r := range w.reports {
		c.leave(r.family, id)
	}
	c.bytes -= w.bytes
	w.reports, w.series, w.bytes, w.at = nil, 0, 0, time.Time{}
}
