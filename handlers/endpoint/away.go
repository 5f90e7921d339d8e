package endpoint

import (
	"context"
	"net/http"
	"time"
)

// AwayHeader says that no hub is there, so that what the answer tells of workers, containers and
// repositories may be old: "since=" and the time when a hub was last heard of, RFC 3339, or
// "since=unknown". It is absent while a hub is there.
const AwayHeader = "X-Hub-Away"

// HubWatcher tells when no hub is there.
type HubWatcher interface {
	// HubAway reports whether nothing is heard of any hub, and since when; zero: that is not known.
	HubAway(ctx context.Context) (since time.Time, away bool, err error)
}

// TellingHubAway serves next, whose answers are as old as the last word of a hub, and says so.
func TellingHubAway(watcher HubWatcher, next http.Handler) http.Handler {
	return Handle(func(w http.ResponseWriter, r *http.Request) error {
		since, away, err := watcher.HubAway(r.Context())
		if err != nil {
			return err
		}
		if away {
			w.Header().Set(AwayHeader, "since="+wordOf(since))
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

func wordOf(since time.Time) string {
	if since.IsZero() {
		return "unknown"
	}
	return since.UTC().Format(time.RFC3339)
}
