package seal

import (
	"fmt"
	"sync"
	"time"
)

// followEvery is how often a newer ring is looked for at most, because of keys that are not known: values that are
// damaged, or were made up, must not become a question to the database each.
const followEvery = time.Second

// follower fetches the ring that is stored.
type follower struct {
	fetch func() (*Ring, error)

	mu     sync.Mutex
	asked  time.Time // guarded by mu, as what follows
	failed error     // what came of it
}

// Following has r fetch the ring that is stored when it meets a data key that it does not know.
func (r *Ring) Following(fetch func() (*Ring, error)) { r.follow.Store(&follower{fetch: fetch}) }

// key returns a data key. Where it is not known, those who ask wait for one of them to fetch the newer ring;
// ErrUnknownKey says that the newer one has no such key either.
func (r *Ring) key(number uint32) (*dataKey, error) {
	known := func() *dataKey { return r.state.Load().keys[number] }
	f := r.follow.Load()
	if key := known(); key != nil {
		return key, nil
	}
	if f == nil {
		return nil, ErrUnknownKey
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if key := known(); key != nil {
		return key, nil
	}
	if time.Since(f.asked) >= followEvery {
		f.failed = f.renew(r)
		f.asked = time.Now()
	}
	if key := known(); key != nil {
		return key, nil
	}
	if f.failed != nil {
		return nil, fmt.Errorf("fetch the key ring again: %w", f.failed)
	}
	return nil, ErrUnknownKey
}

func (f *follower) renew(r *Ring) error {
	newer, err := f.fetch()
	if err != nil {
		return err
	}
	return r.Adopt(newer)
}
