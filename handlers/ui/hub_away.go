package ui

import (
	"context"
	"time"
)

// HubWatcher tells when the hub is away.
type HubWatcher interface {
	// HubAway reports whether nothing is heard of any hub, and since when; zero: that is not known.
	HubAway(ctx context.Context) (since time.Time, away bool, err error)
}

// hubNotice says that what a page shows may be old, because no hub tells what became of it.
type hubNotice struct {
	Away  bool
	Since moment // empty: it is not known
}

func hubNoticeOf(ctx context.Context, watcher HubWatcher, now time.Time) (hubNotice, error) {
	since, away, err := watcher.HubAway(ctx)
	return hubNotice{Away: away, Since: at(since, now)}, err
}
