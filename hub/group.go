package hub

import (
	"context"
	"sync"
)

// group runs at most limit functions at once, and one per key. Cancelling a key ends the
// context of its function.
type group[K comparable] struct {
	limit int
	freed func() // called when a group that was full has room again

	mu      sync.Mutex
	cancels map[K]context.CancelFunc // guarded by mu
	empty   *sync.Cond               // on mu: nothing runs
}

func newGroup[K comparable](limit int, freed func()) *group[K] {
	g := &group[K]{limit: limit, freed: freed, cancels: map[K]context.CancelFunc{}}
	g.empty = sync.NewCond(&g.mu)
	return g
}

// start runs fn for key in a goroutine unless one runs for it already or the group is
// full; it reports whether it did.
func (g *group[K]) start(ctx context.Context, key K, fn func(context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, busy := g.cancels[key]; busy || len(g.cancels) >= g.limit {
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	g.cancels[key] = cancel
	go func() {
		defer g.done(key, cancel)
		fn(ctx)
	}()
	return true
}

func (g *group[K]) done(key K, cancel context.CancelFunc) {
	cancel()
	g.mu.Lock()
	full := len(g.cancels) == g.limit
	delete(g.cancels, key)
	if len(g.cancels) == 0 {
		g.empty.Broadcast()
	}
	g.mu.Unlock()
	if full {
		g.freed()
	}
}

// cancel ends the function of key; it reports whether one runs.
func (g *group[K]) cancel(key K) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	cancel, busy := g.cancels[key]
	if busy {
		cancel()
	}
	return busy
}

// wait returns when every function has.
func (g *group[K]) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.cancels) > 0 {
		g.empty.Wait()
	}
}
