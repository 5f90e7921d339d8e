package hub

import (
	"context"
	"time"
)

// upkeepEvery is how often what has grown old is deleted.
const upkeepEvery = 10 * time.Minute

// giveEvery is how soon keys are given, and values sealed anew, after that failed.
const giveEvery = 10 * time.Second

// giveKeys gives an age key to the repositories of releases before there were any: once, unless that fails.
func (h *Hub) giveKeys(ctx context.Context) {
	for h.opts.AgeKeys != nil && ctx.Err() == nil {
		given, err := 0, error(nil)
		h.safely("age keys", func() { given, err = h.opts.AgeKeys.GiveKeys(ctx) })
		if given > 0 {
			h.log.Info("repositories were given age keys", "repositories", given)
		}
		if err == nil {
			return
		}
		h.report("repositories cannot be given age keys", err)
		wait(ctx, giveEvery)
	}
}

// keepUp deletes what is older than retention allows, in small steps, and then the files that
// nothing needs any more, until ctx ends.
func (h *Hub) keepUp(ctx context.Context) {
	ticker := time.NewTicker(upkeepEvery)
	defer ticker.Stop()
	var swept time.Time
	for {
		more := false
		h.safely("old rows", func() { more = h.prune(ctx) })
		if more && ctx.Err() == nil {
			continue
		}
		if time.Since(swept) >= sweepEvery {
			swept = time.Now()
			h.safely("old files", func() { h.sweep(ctx) })
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// prune deletes a bounded number of rows; more says that there is more to delete.
func (h *Hub) prune(ctx context.Context) (more bool) {
	more, err := h.opts.Store.Prune(ctx, h.opts.Now())
	h.report("old rows cannot be deleted", err)
	return more && err == nil
}
