package ui

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/endpoint"
)

// HubWatcher tells when the hub is away.
type HubWatcher = endpoint.HubWatcher

// hubNotice says that what a page shows may be old, because no hub tells what became of it.
type hubNotice struct {
	Away  bool
	Since moment // empty: it is not known
}

type hubKey struct{}

// hubIn returns what KnowingHub found out for a request.
func hubIn(ctx context.Context) hubNotice {
	notice, _ := ctx.Value(hubKey{}).(hubNotice)
	return notice
}

// KnowingHub serves next, a page, which then knows whether a hub is there: its frame says so, whatever
// the page is about. Who is not signed in is told nothing.
func KnowingHub(watcher HubWatcher, now core.Clock, next http.Handler) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if endpoint.Principal(r.Context()).Kind != access.KindUser {
			next.ServeHTTP(w, r)
			return nil
		}
		since, away, err := watcher.HubAway(r.Context())
		if err != nil {
			return err
		}
		notice := hubNotice{Away: away, Since: at(since, now())}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hubKey{}, notice)))
		return nil
	})
}
