package ui

import (
	"context"
	"net/http"

	"berth/core"
)

// ChangeCounter counts what is stored.
type ChangeCounter interface {
	// AwaitChanges returns at once where nothing was seen.
	AwaitChanges(ctx context.Context, seen uint64) core.Changes
}

type seenKey struct{}

// seenIn returns the mark of what was stored before anything of a page was read; empty: nobody knows.
func seenIn(ctx context.Context) string {
	mark, _ := ctx.Value(seenKey{}).(string)
	return mark
}

// KnowingChanges serves next, a page, which then says up to where it knows what was stored: what is stored while the
// page is on its way to the browser, and before that hears of changes, is not missed.
func KnowingChanges(counter ChangeCounter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mark := counter.AwaitChanges(r.Context(), 0).Mark
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), seenKey{}, mark)))
	})
}
