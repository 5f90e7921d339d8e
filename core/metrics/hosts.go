package metrics

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"berth/core"
)

// HostSight is what a linked worker last reported of its host. What it did not report is NaN.
type HostSight struct {
	Busy, Spent       float64 // processor seconds since the host began: busy, and all
	Load              float64 // average over 1 minute
	CPUs              float64
	Memory, Available float64 // bytes
	Disk, Free        float64 // bytes of the file system of the worker's data directory
}

// Hosts returns how the hosts of all linked workers are that have reported.
func (c *Cache) Hosts() map[core.WorkerID]HostSight {
	seen := map[core.WorkerID]HostSight{}
	for _, id := range c.reporting() {
		if sight, up := c.host(id); up {
			seen[id] = sight
		}
	}
	return seen
}

// reporting names the workers that are linked and have reported.
func (c *Cache) reporting() (ids []core.WorkerID) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for id, w := range c.workers {
		if w.up && !w.at.IsZero() {
			ids = append(ids, id)
		}
	}
	return ids
}

// host reads one worker's families. The lock is held for one worker at a time, so that snapshots and scrapes go on.
func (c *Cache) host(id core.WorkerID) (h HostSight, up bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	w, known := c.workers[id]
	if !known || !w.up || w.at.IsZero() {
		return h, false
	}
	one := func(name string) float64 { return sum(c.reported(w, name), "") }
	h = HostSight{Load: one("berth_worker_host_load1"), CPUs: one("berth_worker_host_cpus"), Memory: one("berth_worker_host_memory_bytes"), Available: one("berth_worker_host_memory_available_bytes"),
		Disk: one("berth_worker_data_disk_bytes"), Free: one("berth_worker_data_disk_free_bytes")}
	spent := c.reported(w, "berth_worker_host_cpu_seconds_total")
	h.Spent = sum(spent, "")
	h.Busy = h.Spent
	for _, rest := range []string{`mode="idle"`, `mode="iowait"`} {
		if idle := sum(spent, rest); !math.IsNaN(idle) {
			h.Busy -= idle
		}
	}
	return h, true
}

// reported returns what a worker reports of a family. The caller holds mu.
func (c *Cache) reported(w *worker, name string) []byte {
	if f, found := c.families[name]; found {
		return f.part(w.rank)
	}
	return nil
}

// sum adds up the values of the series that have a label, which is written as in the text; NaN when there is none.
func sum(series []byte, label string) float64 {
	total := math.NaN()
	for line := range bytes.Lines(series) {
		text := strings.TrimSuffix(string(line), "\n")
		at := strings.LastIndexByte(text, ' ')
		value, err := strconv.ParseFloat(text[at+1:], 64)
		if err != nil || !strings.Contains(text[:max(at, 0)], label) {
			continue
		}
		if math.IsNaN(total) {
			total = 0
		}
		total += value
	}
	return total
}
