package worker

import (
	"context"
	"sync"
)

// service knows which link is in service: welcomed by the hub and not over. There is
// one at most.
type service struct {
	mu      sync.Mutex // guards what follows
	current *session   // nil: none
	changed chan struct{}
}

func newService() *service { return &service{changed: make(chan struct{})} }

// set puts a session in service, or none.
func (v *service) set(s *session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.current = s
	close(v.changed)
	v.changed = make(chan struct{})
}

func (v *service) get() (*session, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.current, v.changed
}

// wait returns the session in service, as soon as there is one.
func (v *service) wait(ctx context.Context) (*session, error) {
	return v.until(ctx, func(s *session) bool { return s != nil })
}

// ended waits until s is not in service any more.
func (v *service) ended(ctx context.Context, s *session) error {
	_, err := v.until(ctx, func(current *session) bool { return current != s })
	return err
}

func (v *service) until(ctx context.Context, holds func(*session) bool) (*session, error) {
	for {
		s, changed := v.get()
		if holds(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
