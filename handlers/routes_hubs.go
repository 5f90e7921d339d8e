package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// HubsDeps is what is told of hubs.
type HubsDeps struct {
	Store HubsStore // *store.Store
}

// HubsStore is what is read of hubs.
type HubsStore interface {
	endpoint.HubWatcher
	api.HubLister
}

func hubRoutes(d Deps) []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: "/api/custom/hubs", Capability: access.Administer, Surface: guard.API, Handler: api.ListHubs(d.Hubs.Store),
			Operation: Operation{Summary: "List hubs, oldest first, and after them those that died within the last day", Tag: "hubs", Response: endpoint.Items[api.HubAnswer]{}, Status: http.StatusOK,
				Detail: "One of them leads. A hub that is stopped in order goes from the list at once; one that died goes when a hub begins at the same `url`, or after a day. Where one server works alone, the list is empty."}},
	}
}
