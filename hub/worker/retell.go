package worker

import (
	"sync"

	"berth/core"
)

// retell is what one link has to tell once more: stacks of which the hub has stored a result. What
// was seen when the command ended is in the result; it may have come after a report of what happened
// since, and taken its place.
type retell struct {
	bell chan struct{} // holds a token when something was added

	mu     sync.Mutex
	stacks []core.StackID // guarded by mu
}

func newRetell() *retell { return &retell{bell: make(chan struct{}, 1)} }

// add notes a stack, if there is one. It never waits.
func (r *retell) add(stack core.StackID) {
	if stack == "" {
		return
	}
	r.mu.Lock()
	r.stacks = append(r.stacks, stack)
	r.mu.Unlock()
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// take hands out the stacks that were added since.
func (r *retell) take() []core.StackID {
	r.mu.Lock()
	defer r.mu.Unlock()
	stacks := r.stacks
	r.stacks = nil
	return stacks
}
