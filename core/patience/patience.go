// Package patience owns how long somebody who waits for an answer is made to wait for what others
// have in hand: a connection of the database, when each of its transactions takes seconds.
//
// Work that nobody looks at waits for as long as it takes; that is the default. A request
// carries Short, and is told to come again rather than kept. The package must not know what is
// waited for: core/store asks it. Start with With.
package patience

import (
	"context"
	"time"
)

// Short is the patience of a request. It is far above what a transaction takes on a disk that is
// well, and below what people and programs take for a server that hangs.
const Short = 5 * time.Second

type key struct{}

// With returns a context whose work waits no longer than limit for what others have in hand.
func With(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, key{}, limit)
}

// Of returns the limit of a context; false when it has none.
func Of(ctx context.Context) (limit time.Duration, limited bool) {
	limit, limited = ctx.Value(key{}).(time.Duration)
	return limit, limited
}
