package outbound

import (
	"context"
	"sync"
)

// Parallel is how many questions a server is asked at a time.
const Parallel = 8

// Each calls do for the numbers from 0 below n, at most Parallel at a time, and returns when all calls
// have. The first error ends the context of the others and is returned; numbers that were
// not begun are left out.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	numbers := make(chan int)
	var all sync.WaitGroup
	for range min(n, Parallel) {
		all.Go(func() {
			for i := range numbers {
				if err := do(ctx, i); err != nil {
					end(err)
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		select {
		case numbers <- i:
		case <-ctx.Done():
		}
	}
	close(numbers)
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
