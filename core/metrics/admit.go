package metrics

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// admit adds or replaces one family of a worker, or says why not. The caller holds mu.
func (c *Cache) admit(w *worker, f Family) Reason {
	i, found := slices.BinarySearchFunc(w.families, f.Name, byName)
	if found && w.families[i].kind != f.Type { // it changed its type: it ends first
		c.end(w, f.Name)
		found = false
	}
	var at spot
	var was []byte
	if found {
		at = w.families[i].spot(w.rank)
		was = w.families[i].at(at)
	}
	more, series := len(f.Text)-len(was), w.series-lines(was)+f.Series
	switch {
	case series > MaxSeries, !found && len(w.families) >= maxReported:
		return TooMany
	case w.bytes+more > MaxSnapshot, c.bytes+c.pieces+more > c.limit:
		return TooLarge
	}
	family, reason := c.claim(f)
	if reason != "" {
		return reason
	}
	w.series, w.bytes, c.bytes = series, w.bytes+more, c.bytes+more
	if found {
		family.set(at, w.rank, f.Text)
	} else {
		family.put(w.rank, f.Text)
		w.families = slices.Insert(w.families, i, family)
	}
	return ""
}

// lines counts the series of a part.
func lines(part []byte) int { return bytes.Count(part, []byte{'\n'}) }

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
func (c *Cache) end(w *worker, name string) {
	i, found := slices.BinarySearchFunc(w.families, name, byName)
	if !found {
		return
	}
	f := w.families[i]
	part := f.part(w.rank)
	c.bytes, w.bytes, w.series = c.bytes-len(part), w.bytes-len(part), w.series-lines(part)
	w.families = slices.Delete(w.families, i, i+1)
	c.leave(f, w)
}

// drop takes away all that a worker reported. The caller holds mu.
func (c *Cache) drop(w *worker) {
	for _, f := range w.families {
		c.leave(f, w)
	}
	c.bytes -= w.bytes
	w.families, w.series, w.bytes, w.at = nil, 0, 0, time.Time{}
}
