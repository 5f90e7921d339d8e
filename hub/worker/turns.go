package worker

import (
	"context"
	"maps"
	"slices"
	"sync"

	"berth/core"
)

// turns decides which command runs when: one at a time per stack, a bounded number
// altogether, otherwise in order of arrival.
type turns struct {
	mu      sync.Mutex // guards what follows
	busy    map[core.StackID]bool
	waiting []*ticket
	glances []*glance
}

// ticket is a command's place in the queue.
type ticket struct {
	turns *turns
	stack core.StackID
	ready chan struct{} // closed when it is its turn
}

func newTurns() *turns { return &turns{busy: map[core.StackID]bool{}} }

// queue takes a place at the end; nil when the queue is full.
func (t *turns) queue(stack core.StackID) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= maxQueued {
		return nil
	}
	k := &ticket{turns: t, stack: stack, ready: make(chan struct{})}
	t.waiting = append(t.waiting, k)
	t.serve()
	return k
}

// wait blocks until it is the ticket's turn or ctx ends. Afterwards the caller calls
// done, whatever wait returned.
func (k *ticket) wait(ctx context.Context) error {
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// done gives up the turn, or the place in the queue.
func (k *ticket) done() {
	t := k.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.waiting, k); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	} else {
		delete(t.busy, k.stack)
	}
	t.serve()
}

// serve calls whoever may run now.
func (t *turns) serve() {
	t.waiting = slices.DeleteFunc(t.waiting, func(k *ticket) bool {
		if len(t.busy) >= maxParallel || t.busy[k.stack] {
			return false
		}
		t.busy[k.stack] = true
		for _, g := range t.glances {
			g.worked[k.stack] = true
		}
		close(k.ready)
		return true
	})
}

// runs reports whether a command of the stack has its turn.
func (t *turns) runs(stack core.StackID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy[stack]
}

// queued returns how many commands wait for their turn.
func (t *turns) queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}

// any reports whether some command has its turn.
func (t *turns) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.busy) > 0
}

// glance is a look at what runs, which takes time: it knows of which stacks the containers
// may have been changed by a command meanwhile.
type glance struct {
	turns  *turns
	worked map[core.StackID]bool // guarded by turns.mu
}

// glance begins one. The caller ends it.
func (t *turns) glance() *glance {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := &glance{turns: t, worked: maps.Clone(t.busy)}
	t.glances = append(t.glances, g)
	return g
}

// end returns the stacks that commands worked on since the glance began, and whether a command
// of each still has its turn.
func (g *glance) end() (worked map[core.StackID]bool) {
	t := g.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	t.glances = slices.DeleteFunc(t.glances, func(other *glance) bool { return other == g })
	for stack := range g.worked {
		g.worked[stack] = t.busy[stack]
	}
	return g.worked
}
