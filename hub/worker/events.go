package worker

import (
	"context"
	"time"
)

// How events of the engine become looks: they come in bursts, so that a look waits until a
// burst may be over, and a storm of them is answered by one look in a while.
const (
	eventRest = 200 * time.Millisecond
	eventGap  = time.Second
)

// follow rings whenever the engine says that a container has changed, until ctx ends. While
// events cannot be followed, the looks of every few seconds have to do, and it is tried again.
func (w *Worker) follow(ctx context.Context) {
	b := newBackoff()
	for ctx.Err() == nil {
		began := time.Now()
		err := w.options.Engine.Watch(ctx, w.hear)
		if ctx.Err() != nil {
			return
		}
		w.stir() // what happened meanwhile is not told again
		wait := b.after(time.Since(began), err)
		w.log.Info("the container engine's events cannot be followed; what runs is looked at every few seconds instead", "error", err, "retry_in", wait.Round(time.Millisecond))
		if pause(ctx, nil, wait) != nil {
			return
		}
	}
}

// stir says that something may have changed. It never blocks.
func (w *Worker) stir() {
	select {
	case w.stirred <- struct{}{}:
	default:
	}
}

// engineIs takes note of which engine this is.
func (w *Worker) engineIs(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id != "" {
		w.engineID = id
	}
}

// engine returns which engine this is. One that has not said yet is asked; empty when it does
// not answer within that time: then the next link tells it.
func (w *Worker) engine(ctx context.Context, within time.Duration) string {
	w.mu.Lock()
	known := w.engineID
	w.mu.Unlock()
	if known != "" {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	engine, err := w.options.Engine.Info(ctx)
	if err != nil {
		return ""
	}
	w.engineIs(engine.ID)
	return engine.ID
}
