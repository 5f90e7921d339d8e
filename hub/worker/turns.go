package worker

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// turns decides which command runs when: one at a time per stack, or per run of a job, a bounded
// number altogether, otherwise in order of arrival.
type turns[K comparable] struct {
	parallel, queue int // how many may have their turn, and wait for it

	mu      sync.Mutex // guards what follows
	busy    map[K]bool
	waiting []*ticket[K]
	glances []*glance[K]
}

// turn is a place in a queue, whatever it is about.
type turn interface {
	// wait blocks until it is the turn or ctx ends. Afterwards the caller calls done, whatever wait returned.
	wait(ctx context.Context) error
	// done gives up the turn, or the place in the queue.
	done()
}

// ticket is a command's place in the queue.
type ticket[K comparable] struct {
	turns *turns[K]
	about K
	ready chan struct{} // closed when it is its turn
}

func newTurns[K comparable](parallel, queue int) *turns[K] {
	return &turns[K]{parallel: parallel, queue: queue, busy: map[K]bool{}}
}

// take takes a place at the end; nil when the queue is full.
func (t *turns[K]) take(about K) turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= t.queue {
		return nil
	}
	k := &ticket[K]{turns: t, about: about, ready: make(chan struct{})}
	t.waiting = append(t.waiting, k)
	t.serve()
	return k
}

// enter has its turn at once: what it is for is under way already, whatever the bound is.
func (t *turns[K]) enter(about K) turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &ticket[K]{turns: t, about: about, ready: make(chan struct{})}
	t.call(k)
	return k
}

func (k *ticket[K]) wait(ctx context.Context) error {
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *ticket[K]) done() {
	t := k.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.waiting, k); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	} else {
		delete(t.busy, k.about)
	}
	t.serve()
}

// serve calls whoever may run now.
func (t *turns[K]) serve() {
	t.waiting = slices.DeleteFunc(t.waiting, func(k *ticket[K]) bool {
		if len(t.busy) >= t.parallel || t.busy[k.about] {
			return false
		}
		t.call(k)
		return true
	})
}

// call gives a ticket its turn; mu is held.
func (t *turns[K]) call(k *ticket[K]) {
	t.busy[k.about] = true
	for _, g := range t.glances {
		g.worked[k.about] = true
	}
	close(k.ready)
}

// runs reports whether a command about this has its turn.
func (t *turns[K]) runs(about K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy[about]
}

// queued returns how many commands wait for their turn.
func (t *turns[K]) queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}

// any reports whether some command has its turn.
func (t *turns[K]) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.busy) > 0
}

// glance is a look at what runs, which takes time: it knows of which stacks the containers
// may have been changed by a command meanwhile.
type glance[K comparable] struct {
	turns  *turns[K]
	worked map[K]bool // guarded by turns.mu
}

// glance begins one. The caller ends it.
func (t *turns[K]) glance() *glance[K] {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := &glance[K]{turns: t, worked: maps.Clone(t.busy)}
	t.glances = append(t.glances, g)
	return g
}

// end returns the stacks that commands worked on since the glance began, and whether a command
// of each still has its turn.
func (g *glance[K]) end() (worked map[K]bool) {
	t := g.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	t.glances = slices.DeleteFunc(t.glances, func(other *glance[K]) bool { return other == g })
	for stack := range g.worked {
		g.worked[stack] = t.busy[stack]
	}
	return g.worked
}
