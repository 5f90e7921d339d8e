package hub

import (
	"net/url"
	"sync"

	"berth/core/fault"
)

// How many repositories of one Git host are looked at together, so that a host that hangs leaves room for the others.
const (
	maxOfHost    = maxPolls * 3 / 4
	maxOfBadHost = 2 // of one that could not be reached last
)

// hosts counts the looks at each Git host. Hosts at which nothing looks and that answered are not kept.
type hosts struct {
	freed func() // called when a host that was full has room again

	mu  sync.Mutex
	all map[string]host // guarded by mu
}

type host struct {
	looks int
	bad   bool // it could not be reached last
	full  bool // somebody found no room
}

func newHosts(freed func()) *hosts { return &hosts{freed: freed, all: map[string]host{}} }

// enter takes room at a host, if there is some.
func (h *hosts) enter(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.all[name]
	most := maxOfHost
	if at.bad {
		most = maxOfBadHost
	}
	at.full = at.looks >= most
	if !at.full {
		at.looks++
	}
	h.all[name] = at
	return !at.full
}

// leave gives the room back, and tells how the look went.
func (h *hosts) leave(name string, err error) {
	h.mu.Lock()
	at := h.all[name]
	freed := at.full
	at.looks, at.full, at.bad = at.looks-1, false, fault.CodeOf(err) == "git.unreachable"
	if at.looks == 0 && !at.bad {
		delete(h.all, name)
	} else {
		h.all[name] = at
	}
	h.mu.Unlock()
	if freed {
		h.freed()
	}
}

// hostOf is the host and port of a repository's address, which is a good one.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
