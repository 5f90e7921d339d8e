package seal

import (
	"sync"
	"time"
)

// followEvery is how often a newer ring is looked for at most, because of keys that are not known: values that are
// damaged, or were made up, must not become a question to the database each.
const followEvery = time.Second

// follower fetches the ring that is stored.
type follower struct {
	fetch func() (*Ring, error)

	mu    sync.Mutex
	asked time.Time // guarded by mu
}

// Following has r fetch the ring that is stored when it meets a data key that it does not know.
func (r *Ring) Following(fetch func() (*Ring, error)) { r.follow.Store(&follower{fetch: fetch}) }

// key returns a data key. Where it is not known, those who ask wait for one of them to fetch the newer ring.
func (r *Ring) key(number uint32) (*dataKey, bool) {
	key, found := r.state.Load().keys[number]
	f := r.follow.Load()
	if found || f == nil {
		return key, found
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if key, found = r.state.Load().keys[number]; found || time.Since(f.asked) < followEvery {
		return key, found
	}
	if newer, err := f.fetch(); err == nil {
		_ = r.Adopt(newer) // one that cannot be adopted has nothing for this ring
	}
	f.asked = time.Now()
	key, found = r.state.Load().keys[number]
	return key, found
}
