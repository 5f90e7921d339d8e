package ops

import (
	"context"
	"net/http"
	"time"

	"berth/core/fault"
	"berth/handlers/endpoint"
)

// readyTime is how long the store may take to answer.
const readyTime = 2 * time.Second

// Pinger is the store as far as readiness goes.
type Pinger interface {
	// Ping fails when the database does not answer.
	Ping(ctx context.Context) error
	// Room reports whether there is room on its disk to begin something new.
	Room() bool
}

// errNoRoom is why a server is not ready whose disk is full; the store's log says so once.
var errNoRoom = fault.New(fault.Unavailable, "store.disk_full", "the disk is full")

// Status is the answer of the health routes.
type Status struct {
	Status string `json:"status"` // always "ok"; whatever is not is a problem
}

// VersionAnswer is the answer of the version route.
type VersionAnswer struct {
	Version string `json:"version"`
}

// Health answers as long as the process does.
func Health() http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return endpoint.JSON(w, http.StatusOK, Status{"ok"})
	})
}

// Ready answers 200 when the store does and has room for something new, else 503.
func Ready(store Pinger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		err := store.Ping(ctx)
		if err == nil && !store.Room() {
			err = errNoRoom
		}
		if err != nil {
			return fault.New(fault.Unavailable, "server.not_ready", "The server cannot serve requests now.").After(readyTime).Because(err)
		}
		return endpoint.JSON(w, http.StatusOK, Status{"ok"})
	})
}

// Version answers with the program's version.
func Version(version string) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return endpoint.JSON(w, http.StatusOK, VersionAnswer{version})
	})
}
