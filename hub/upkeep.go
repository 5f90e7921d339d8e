package hub

import (
	"context"
	"time"
)

// upkeepEvery is how often what has grown old is deleted.
const upkeepEvery = 10 * time.Minute

// keepUp deletes what is older than retention allows, in small steps, until ctx ends.
func (h *Hub) keepUp(ctx context.Context) {
	ticker := time.NewTicker(upkeepEvery)
	defer ticker.Stop()
	for {
		more, err := h.opts.Store.Prune(ctx, h.opts.Now())
		h.report("old rows cannot be deleted", err)
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
