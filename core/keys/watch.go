package keys

import (
	"context"
	"time"

	"berth/core/seal"
)

// Fetcher reads the ring as it is stored, with the key or, while it is being changed, with the one before.
type Fetcher struct {
	Store interface {
		KeyRing(ctx context.Context) ([]seal.WrappedKey, error)
	}
	Key, Previous seal.SecretKey
}

// fetchWithin is how long a process waits for the ring that it fetches because of a key it does not know.
const fetchWithin = 5 * time.Second

// Fetch returns the ring that is stored.
func (f Fetcher) Fetch(ctx context.Context) (*seal.Ring, error) {
	rows, err := f.Store.KeyRing(ctx)
	if err != nil {
		return nil, err
	}
	ring, _, err := seal.Unlock(f.Key, f.Previous, rows)
	return ring, err
}

// Follow has a ring fetch the stored one by itself, when it meets a key that it does not know.
func (f Fetcher) Follow(ring *seal.Ring) {
	ring.Following(func() (*seal.Ring, error) {
		ctx, cancel := context.WithTimeout(context.Background(), fetchWithin)
		defer cancel()
		return f.Fetch(ctx)
	})
}

// Watch looks so often, until ctx ends, whether another process has added a key. What goes wrong is told.
func (f Fetcher) Watch(ctx context.Context, ring *seal.Ring, every time.Duration, tell func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		stored, err := f.Fetch(ctx)
		if err == nil {
			err = ring.Adopt(stored)
		}
		if err != nil && ctx.Err() == nil {
			tell(err)
		}
	}
}
