package post

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// watchEvery is how often problems are looked for.
const watchEvery = 5 * time.Second

// Watching is a Post that has problems looked for beside it.
type Watching struct {
	*Post
	Look func(ctx context.Context) error // stores messages about what is wrong; see notify.Watch
	Log  *slog.Logger
}

// Run carries letters and looks for problems until ctx ends.
func (w Watching) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { w.Post.Run(ctx) })
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			if err := w.look(ctx); err != nil && ctx.Err() == nil {
				w.Log.Error("problems cannot be looked for; nobody is told of new ones", "error", err)
			}
		}
	}
	all.Wait()
}

// look looks once. A defect there must not keep letters from being carried.
func (w Watching) look(ctx context.Context) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("a defect came up: %v\n%s", problem, debug.Stack())
		}
	}()
	return w.Look(ctx)
}
