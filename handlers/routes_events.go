package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
)

// EventsDeps is what tells of changes.
type EventsDeps struct {
	Source api.ChangeAwaiter // *store.Store
}

func eventRoutes(d Deps) []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: "/api/custom/events", Capability: access.View, Surface: guard.API, Streams: true, Handler: api.Events(d.Events.Source),
			Operation: Operation{Summary: "Follow what changes as server-sent events", Tag: "live updates", ContentType: "text/event-stream", Status: http.StatusOK, Problems: []int{http.StatusTooManyRequests},
				Detail: "An event `changed` comes at once, and again whenever something was stored; it carries `number`, which goes up and means nothing on another connection, and `of`: of what something changed, never what. Ask for that as usual. `of` is a list of stacks, deployments, logs, jobs, runs, workers, repositories and others. The id of an event is a mark: give it back as `Last-Event-ID`, as browsers do by themselves, and the first event is of what was stored since, if anything was. A comment comes every 15 seconds. There are at most 16 streams for one account. A host that cannot stream ends after the first event, says so with X-Host-Limit: stream, and is asked for what interests you now and then.",
				Query:  []Param{text("for", "how long the stream goes on at most, 0s to 30m, default 30m; with 0s there is the first event alone")}}},
	}
}
