package metrics

import (
	"slices"
	"strings"
	"time"

	"berth/core"
)

const (
	// minAge is how long a snapshot stands before another one is looked at: reading one costs
	// more than sending one.
	minAge = 500 * time.Millisecond
	// maxAge is how long a snapshot counts: a worker that is linked but reports nothing any
	// more must not be shown with figures that have long ceased to be true.
	maxAge = 5 * time.Minute
)

// Snapshot is what a worker reports.
type Snapshot struct {
	Text string // families in the text format
	// Changes: Text holds only the families that are not as they were in the snapshot before, and
	// Ended names those that are no more. Else Text holds all of them.
	Changes bool
	Ended   []string
}

// Put takes in a snapshot of a linked worker. What is wrong with it is left out and counted; nothing
// of it is an error to the caller. Snapshots of workers that are not linked, and those that come too
// fast, are ignored.
func (c *Cache) Put(id core.WorkerID, s Snapshot) {
	hostname, due := c.due(id)
	if !due {
		c.own.Snapshot(snapshotIgnored)
		return
	}
	if len(s.Text) > MaxSnapshot {
		c.own.Snapshot(snapshotRefused)
		c.dropped(id, hostname, map[Reason]int{TooLarge: strings.Count(s.Text, "\n")})
		return
	}
	if s.Changes {
		c.own.Snapshot(snapshotChanges)
	} else {
		c.own.Snapshot(snapshotWhole)
	}
	room := buffers.take()
	defer buffers.giveBack(room)
	families, dropped := c.read(id, hostname, s.Text, room)
	for reason, n := range c.store(id, hostname, families, s) {
		dropped[reason] += n
	}
	c.dropped(id, hostname, dropped)
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

// store replaces what is kept of a worker, and returns how many series were dropped.
func (c *Cache) store(id core.WorkerID, hostname string, families []Family, s Snapshot) map[Reason]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, known := c.workers[id]
	if !known || !w.up || w.hostname != hostname {
		return nil // it left while its snapshot was validated
	}
	if s.Changes {
		for _, name := range s.Ended {
			c.end(w, name)
		}
	} else {
		c.keep(w, families)
	}
	w.at = c.now()
	dropped := map[Reason]int{}
	for _, f := range families {
		if reason := c.admit(w, f); reason != "" {
			dropped[reason] += f.Series
			c.end(w, f.Name)
		}
	}
	return dropped
}

// keep ends every family of a worker that is not among these. The caller holds mu.
func (c *Cache) keep(w *worker, families []Family) {
	kept := make(map[string]bool, len(families))
	for _, f := range families {
		kept[f.Name] = true
	}
	for _, f := range slices.Clone(w.families) {
		if !kept[f.name] {
			c.end(w, f.name)
		}
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
	for _, w := range c.workers {
		if !w.at.IsZero() && now.Sub(w.at) > maxAge {
			c.drop(w)
		}
	}
}
