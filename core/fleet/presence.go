package fleet

// Presence is how many workers are there, of those that are not revoked. Each is counted once.
type Presence struct {
	Online int
	Away   int // were there, and left
	Never  int // registered and never connected
}

// Total is how many there are in all.
func (p Presence) Total() int { return p.Online + p.Away + p.Never }
