package fleet

// Presence is how many workers are there, of those that are not revoked. Each is counted once.
type Presence struct {
	Online  int
	Unheard int // nobody knows whether they are there
	Away    int // were there, and left
	Never   int // registered and never connected
}

// Total is how many there are in all.
func (p Presence) Total() int { return p.Online + p.Unheard + p.Away + p.Never }

// There is whether a worker is there, in a word.
type There string

// Whether a worker is there, or what stands in the way of knowing it.
const (
	IsOnline  There = "online"  // a hub that is there holds a link to it
	IsOffline There = "offline" // no hub does, or it was revoked
	IsUnknown There = "unknown" // the hub that held its link is not heard of, or no hub is: nobody can tell
	IsNever   There = "never"   // it registered and has not connected yet
)

// Presence says whether the worker is there.
func (w Worker) Presence() There {
	switch {
	case w.Online:
		return IsOnline
	case w.Unheard:
		return IsUnknown
	case w.ConnectedAt.IsZero():
		return IsNever
	}
	return IsOffline
}
