package git

import "context"

// gate lets as many in at the same time as its channel has room for.
type gate chan struct{}

// enter waits for room and returns the function that gives it back, or the context's error.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case g <- struct{}{}:
		return func() { <-g }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
