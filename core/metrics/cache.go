package metrics

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"berth/core"
)

// Cache holds what each worker last reported, and how the hub sees it, as text that is ready to be
// sent. The hub writes it; scrapes read it. Safe for concurrent use; no lock is held while anything
// is validated, compressed or sent.
type Cache struct {
	validator Validator
	own       *Own
	now       core.Clock
	log       *slog.Logger    // nil: nothing is told
	reserved  map[string]Type // families that the hub writes, by name
	zippedAt  atomic.Int64    // when a compressed exposition was last asked for, Unix time in ns

	mu       sync.RWMutex
	workers  map[core.WorkerID]*worker
	ranks    rank // how many workers there ever were
	online   int  // workers that are up
	families map[string]*shared
	names    []string          // of families, sorted
	owners   map[string]string // name of a series → the family that it belongs to
	shape    uint64            // how often there came to be other families, or other chunks of one
	text     int               // bytes of all chunks
	bytes    int               // of what workers reported
	pieces   int               // bytes of what is kept compressed of it
	limit    int               // of both together
	expired  time.Time         // when old snapshots were last looked for
}

// worker is what is known of one worker.
type worker struct {
	rank     rank
	hostname string
	up       bool
	lastSeen time.Time     // zero: not since this server started
	rtt      time.Duration // of the last heartbeat; zero: not known
	at       time.Time     // when it last reported; zero: nothing is kept of it
	families []*shared     // in which something is kept of it, by name
	series   int           // of it in all of them
	bytes    int
	named    time.Time // when the log last told that series of it were dropped
}

func newCache(v Validator, own *Own, now core.Clock, log *slog.Logger) *Cache {
	c := &Cache{validator: v, own: own, now: now, log: log, limit: maxCached, reserved: map[string]Type{}, workers: map[core.WorkerID]*worker{},
		families: map[string]*shared{}, owners: map[string]string{}}
	for _, v := range own.all {
		c.reserve(v.name, v.kind)
	}
	for _, f := range workerFamilies {
		c.reserve(f.name, f.kind)
	}
	for name, f := range reportedFamilies {
		c.take(name, f.kind)
	}
	return c
}

func (c *Cache) reserve(name string, t Type) {
	c.reserved[name] = t
	c.take(name, t)
}

// take makes the names of the series of a family its own.
func (c *Cache) take(name string, t Type) {
	for _, sample := range t.samples(name) {
		c.owners[sample] = name
	}
}

// Know makes a worker known that has no link: the hub's start, and a registration.
func (c *Cache) Know(id core.WorkerID, hostname string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.at(id)
	if w.hostname != hostname {
		c.drop(w)
	}
	w.hostname = hostname
	c.show(id, w)
}

// Connected notes that a worker's link is in service.
func (c *Cache) Connected(id core.WorkerID, hostname string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.at(id)
	if w.hostname != hostname {
		c.drop(w) // its series say another host
	}
	if !w.up {
		c.online++
		c.counted()
	}
	w.hostname, w.up, w.lastSeen, w.rtt = hostname, true, c.now(), 0
	c.show(id, w)
}

// Heard notes a sign of life of a linked worker; roundTrip is zero when not known.
func (c *Cache) Heard(id core.WorkerID, roundTrip time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.workers[id]; known && w.up {
		w.lastSeen = c.now()
		if roundTrip > 0 {
			w.rtt = roundTrip
		}
		c.show(id, w)
	}
}

// Left notes that a worker's link has ended: it is down, and all else of it ends.
func (c *Cache) Left(id core.WorkerID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.workers[id]; known {
		c.down(w)
		c.drop(w)
		c.show(id, w)
	}
}

// Forget removes a worker that is no longer one, because it was revoked or deleted.
func (c *Cache) Forget(id core.WorkerID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.workers[id]; known {
		c.down(w)
		c.drop(w)
		c.hide(w)
		delete(c.workers, id)
		c.counted()
	}
}

// down notes that a worker has no link. The caller holds mu.
func (c *Cache) down(w *worker) {
	if w.up {
		w.up = false
		c.online--
		c.counted()
	}
	w.rtt = 0
}

// at returns what is known of a worker, making it known. The caller holds mu.
func (c *Cache) at(id core.WorkerID) *worker {
	w, known := c.workers[id]
	if !known {
		c.ranks++
		w = &worker{rank: c.ranks}
		c.workers[id] = w
		c.counted()
	}
	return w
}

// open returns a family, making it when it is the first of its name. The caller holds mu.
func (c *Cache) open(name string, kind Type, help string) *shared {
	f, found := c.families[name]
	if !found {
		f = newShared(c, name, kind, help)
		c.families[name] = f
		c.shape++
		i, _ := slices.BinarySearch(c.names, name)
		c.names = slices.Insert(c.names, i, name)
	}
	return f
}

// leave takes a worker out of a family, and the family away with its last one. The caller holds mu.
func (c *Cache) leave(f *shared, w *worker) {
	f.remove(w.rank)
	if len(f.chunks) > 0 {
		return
	}
	delete(c.families, f.name)
	c.shape++
	f.forget()
	i, _ := slices.BinarySearch(c.names, f.name)
	c.names = slices.Delete(c.names, i, i+1)
	_, reserved := c.reserved[f.name]
	if _, ours := reportedFamilies[f.name]; reserved || ours {
		return // its names stay ours
	}
	for _, sample := range f.kind.samples(f.name) {
		delete(c.owners, sample)
	}
}

// byName orders families.
func byName(f *shared, name string) int { return strings.Compare(f.name, name) }
