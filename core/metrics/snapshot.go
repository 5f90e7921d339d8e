package metrics

import (
	"slices"
	"strings"
	"time"

	"berth/core"
)

// minAge is how long a snapshot stands before another one is looked at: reading one costs
// more than sending one.
const minAge = 500 * time.Millisecond

// Put replaces the snapshot of a linked worker. What is wrong with text is left out and
// counted; nothing of it is an error to the caller. Snapshots of workers that are not
// linked, and those that come too fast, are ignored.
func (c *Cache) Put(id core.WorkerID, text string) {
	hostname, due := c.due(id)
	if !due {
		return
	}
	if len(text) > MaxSnapshot {
		c.own.Dropped(TooLarge, strings.Count(text, "\n"))
		return
	}
	families, dropped := c.validator.Validate(text, workerLabels(id, hostname))
	for reason, n := range dropped {
		c.own.Dropped(reason, n)
	}
	c.store(id, families)
}

// due reports whether a snapshot of this worker is welcome now, and under which host name.
func (c *Cache) due(id core.WorkerID) (hostname string, due bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	w, known := c.workers[id]
	if !known || !w.up || c.now().Sub(w.at) < minAge {
		return "", false
	}
	return w.hostname, true
}

// store replaces the parts of a worker.
func (c *Cache) store(id core.WorkerID, families []Family) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, known := c.workers[id]
	if !known || !w.up {
		return // it left while its snapshot was validated
	}
	keep := make(map[string]bool, len(families))
	for _, f := range families {
		was, found := c.families[f.Name]
		keep[f.Name] = found && was.kind == f.Type // a family that changed its type ends first
	}
	c.drop(id, w, keep)
	w.at = c.now()
	w.parts = make([]string, 0, len(families))
	for _, f := range families {
		if reason := c.admit(id, f); reason != "" {
			c.own.Dropped(reason, f.Series)
			continue
		}
		w.parts = append(w.parts, f.Name)
	}
}

// admit adds or replaces one part, or says why not. The caller holds mu.
func (c *Cache) admit(id core.WorkerID, f Family) Reason {
	family, reason := c.family(f)
	if reason != "" {
		return reason
	}
	i, found := family.find(id)
	old := 0
	if found {
		old = len(family.parts[i].text)
	}
	if c.bytes-old+len(f.Text) > maxCached {
		c.remove(id, f.Name)
		return TooLarge
	}
	c.bytes += len(f.Text) - old
	if found {
		family.parts[i].text = f.Text
	} else {
		family.parts = slices.Insert(family.parts, i, part{id, f.Text})
	}
	return ""
}

// family returns the shared family that f belongs to, making it when it is the first of
// its name. A series must belong to one family only, whoever reports it: readers of the
// text format take x_count for a part of the histogram x.
func (c *Cache) family(f Family) (*shared, Reason) {
	if own, reserved := c.reserved[f.Name]; reserved && (own != f.Type || strings.HasPrefix(f.Name, "berth_")) {
		return nil, Clash
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
	for _, sample := range samples {
		c.owners[sample] = f.Name
	}
	fresh := &shared{kind: f.Type, header: header(f.Name, f.Type, f.Help)}
	c.families[f.Name] = fresh
	i, _ := slices.BinarySearch(c.names, f.Name)
	c.names = slices.Insert(c.names, i, f.Name)
	return fresh, ""
}

// drop removes the parts of a worker that are not in keep. The caller holds mu.
func (c *Cache) drop(id core.WorkerID, w *worker, keep map[string]bool) {
	for _, name := range w.parts {
		if !keep[name] {
			c.remove(id, name)
		}
	}
	w.parts, w.at = nil, time.Time{}
}

// remove takes one worker out of a family, and the family away with its last one.
func (c *Cache) remove(id core.WorkerID, name string) {
	family, found := c.families[name]
	if !found {
		return
	}
	i, found := family.find(id)
	if found {
		c.bytes -= len(family.parts[i].text)
		family.parts = slices.Delete(family.parts, i, i+1)
	}
	if len(family.parts) > 0 {
		return
	}
	delete(c.families, name)
	n, _ := slices.BinarySearch(c.names, name)
	c.names = slices.Delete(c.names, n, n+1)
	if _, reserved := c.reserved[name]; reserved {
		return // its names stay ours
	}
	for _, sample := range family.kind.samples(name) {
		delete(c.owners, sample)
	}
}

// expire drops snapshots that are too old. Scrapes call it; it looks once a minute.
func (c *Cache) expire() {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.expired) < time.Minute {
		return
	}
	c.expired = now
	for id, w := range c.workers {
		if !w.at.IsZero() && now.Sub(w.at) > maxAge {
			c.drop(id, w, nil)
		}
	}
}
