package ui

import (
	"context"
	"time"

	"berth/handlers/endpoint"
)

// HubWatcher tells when the hub is away.
type HubWatcher = endpoint.HubWatcher

// hubNotice says that what a page shows may be old, because no hub tells what became of it.
type hubNotice struct {
	Away  bool
	Since moment // empty: it is not known
}

func hubNoticeOf(ctx context.Context, watcher HubWatcher, now time.Time) (hubNotice, error) {
	since, away, err := watcher.HubAway(ctx)
	return hubNotice{Away: away, Since: at(since, now)}, err
}
