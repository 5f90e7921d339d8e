package hub

import (
	"context"
	"time"
)

// holdWithin is how long a worker is held back at most: less than a link may be silent.
const holdWithin = 2 * time.Second

// hold keeps whoever says something from saying more while half of what may wait for the store does. Of a log that can be
// said later, so nothing needs to be dropped. A store that takes nothing is not waited for.
func (r *recorder[ID, P]) hold(ctx context.Context, id ID) {
	var limit <-chan time.Time
	for {
		stored := r.crowded(id)
		if stored == nil {
			return
		}
		if limit == nil {
			timer := time.NewTimer(holdWithin)
			defer timer.Stop()
			limit = timer.C
		}
		select {
		case r.full <- struct{}{}:
		default:
		}
		select {
		case <-stored:
		case <-ctx.Done():
			return
		case <-limit:
			r.mu.Lock()
			r.stuck = true
			r.mu.Unlock()
			return
		}
	}
}

// crowded returns what is closed when more was stored; nil when nothing has to be waited for.
func (r *recorder[ID, P]) crowded(id ID) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.all[id]
	if known == nil || known.bytes < maxPending/2 || r.stuck {
		return nil
	}
	if r.stored == nil {
		r.stored = make(chan struct{})
	}
	return r.stored
}

// tell lets those go on that are held. It is called under the mutex.
func (r *recorder[ID, P]) tell() {
	if r.stored != nil {
		close(r.stored)
		r.stored = nil
	}
}
