package metrics

import (
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core"
)

// maxAge is how long a snapshot counts: a worker that is linked but reports nothing any
// more must not be shown with figures that have long ceased to be true.
const maxAge = 5 * time.Minute

// Cache holds what each worker last reported. The hub writes it; scrapes read it. Safe for
// concurrent use; no lock is held while anything is validated or sent.
type Cache struct {
	validator Validator
	own       *Own
	now       core.Clock
	reserved  map[string]Type // the server's families by name

	mu       sync.RWMutex
	workers  map[core.WorkerID]*worker
	ids      []core.WorkerID // of workers, sorted
	families map[string]*shared
	names    []string          // of families, sorted
	owners   map[string]string // name of a series → the family that it belongs to
	bytes    int               // of all parts
	expired  time.Time         // when old snapshots were last looked for
}

// worker is what is known of one worker.
type worker struct {
	hostname string
	up       bool
	lastSeen time.Time     // zero: not since this server started
	rtt      time.Duration // of the last heartbeat; zero: not known
	at       time.Time     // when its snapshot came; zero: there is none
	parts    []string      // names of the families that it is part of
}

// shared is a family that workers report, with each one's series as ready text.
type shared struct {
	kind   Type
	header []byte
	parts  []part // by worker id
}

type part struct {
	worker core.WorkerID
	text   []byte
}

// find returns where the part of a worker is, or belongs.
func (s *shared) find(id core.WorkerID) (int, bool) {
	return slices.BinarySearchFunc(s.parts, id, func(p part, id core.WorkerID) int { return strings.Compare(string(p.worker), string(id)) })
}

func newCache(v Validator, own *Own, now core.Clock) *Cache {
	c := &Cache{validator: v, own: own, now: now, reserved: map[string]Type{}, workers: map[core.WorkerID]*worker{},
		families: map[string]*shared{}, owners: map[string]string{}}
	for _, v := range own.all {
		c.reserve(v.name, v.kind)
	}
	for _, f := range runtimeFamilies {
		c.reserve(f.name, f.kind)
	}
	for _, f := range workerFamilies {
		c.reserve(f.name, f.kind)
	}
	c.reserve(statesName, TypeGauge)
	return c
}

func (c *Cache) reserve(name string, t Type) {
	c.reserved[name] = t
	for _, sample := range t.samples(name) {
		c.owners[sample] = name
	}
}

// Know makes a worker known that has no link: the hub's start, and a registration.
func (c *Cache) Know(id core.WorkerID, hostname string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at(id).hostname = hostname
}

// Connected notes that a worker's link is in service.
func (c *Cache) Connected(id core.WorkerID, hostname string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.at(id)
	w.hostname, w.up, w.lastSeen, w.rtt = hostname, true, c.now(), 0
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
	}
}

// Left notes that a worker's link has ended: it is down, and all else of it ends.
func (c *Cache) Left(id core.WorkerID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, known := c.workers[id]; known {
		w.up, w.rtt = false, 0
		c.drop(id, w, nil)
	}
}

// Forget removes a worker that is no longer one, because it was revoked or deleted.
func (c *Cache) Forget(id core.WorkerID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, known := c.workers[id]
	if !known {
		return
	}
	c.drop(id, w, nil)
	delete(c.workers, id)
	i, _ := slices.BinarySearch(c.ids, id)
	c.ids = slices.Delete(c.ids, i, i+1)
}

// at returns what is known of a worker, making it known. The caller holds mu.
func (c *Cache) at(id core.WorkerID) *worker {
	w, known := c.workers[id]
	if !known {
		w = &worker{}
		c.workers[id] = w
		i, _ := slices.BinarySearch(c.ids, id)
		c.ids = slices.Insert(c.ids, i, id)
	}
	return w
}
