package metrics

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
)

// complain is how often the log names a worker whose series are dropped.
const complain = 10 * time.Minute

// dropped counts series of a worker that are left out, and now and then tells the log whose they are:
// no label of a metric does.
func (c *Cache) dropped(id core.WorkerID, hostname string, series map[Reason]int) {
	if len(series) == 0 {
		return
	}
	var said []string
	for reason, n := range series {
		c.own.Dropped(reason, n)
		said = append(said, fmt.Sprintf("%d %s", n, reason))
	}
	if c.log == nil || !c.complains(id) {
		return
	}
	slices.Sort(said)
	c.log.Warn("series of a worker's metrics were dropped", "worker", id, "hostname", hostname, "series", strings.Join(said, ", "))
}

// complains reports whether it is time to name this worker, and takes note of it.
func (c *Cache) complains(id core.WorkerID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, known := c.workers[id]
	if !known || !w.named.IsZero() && c.now().Sub(w.named) < complain {
		return false
	}
	w.named = c.now()
	return true
}
