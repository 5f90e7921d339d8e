package hubs

import (
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
)

// Hub is one hub that works on the database.
type Hub struct {
	ID         core.HubID // a new one each time a hub starts, or was taken to be gone
	URL        string     // https://host:port of its internal routes: HUB_URL
	Pin        seal.Pin   // of the key that it shows there
	Pinned     bool       // worker tokens carry Pin; not when an authority vouches for the key
	Version    string     // of its program
	StartedAt  time.Time
	LeaseUntil time.Time // by the database's clock
}

// How long a hub, or a lease, is believed without a word, and how often the word is given. A
// holder stops by itself before others may begin: see StopAfter.
const (
	LeaseTime  = 10 * time.Second
	RenewEvery = 3 * time.Second
	StopAfter  = 8 * time.Second // without an answered renewal, counted from when it was sent
)

// LeaseName says what a lease is for.
type LeaseName string

// Duties is held by the one hub that looks at repositories, prepares deployments and deletes what is old.
const Duties LeaseName = "duties"

// Lease is what one hub holds.
type Lease struct {
	Name   LeaseName
	Holder core.HubID
	Epoch  uint64 // rises each time that the holder changes
}

// ErrLost is returned by everything that is written under a lease, or on a link, that another has
// taken over meanwhile; nothing was changed.
var ErrLost = fault.New(fault.Conflict, "hub.lease_lost", "Another hub has taken this over; nothing was changed. It goes on there.")

// ErrUnknown is returned to a hub that was taken to be gone.
var ErrUnknown = fault.New(fault.NotFound, "hub.unknown", "This hub was not heard of for too long and was taken to be gone. It joins anew.")
