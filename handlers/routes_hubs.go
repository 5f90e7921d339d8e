package handlers

import (
	"berth/handlers/endpoint"
)

// HubsDeps is what is told of hubs.
type HubsDeps struct {
	Store HubsStore // *store.Store
}

// HubsStore is what is read of hubs.
type HubsStore interface {
	endpoint.HubWatcher
}
