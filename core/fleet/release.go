package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"berth/core/fault"
	"berth/core/wire"
)

// Server and workers work together one release apart, in both directions, so that an upgrade can begin at either end
// and no two hosts need to change at once. What is further apart is told, not hidden.

// spoken refuses a protocol that is not spoken here. Conflict "worker.protocol".
func spoken(protocol int, worker, server string) error {
	switch {
	case protocol > wire.ProtocolVersion:
		return fault.New(fault.Conflict, "worker.protocol",
			"This worker is too new for the server: it is release %s and speaks protocol %d, the server is release %s and speaks up to %d. Update the server first. What the worker has deployed goes on running.", worker, protocol, server, wire.ProtocolVersion)
	case protocol < wire.OldestProtocol:
		return fault.New(fault.Conflict, "worker.protocol",
			"This worker is too old for the server: it is release %s and speaks protocol %d, the server is release %s and speaks %d and later. Update the worker. What it has deployed goes on running.", worker, protocol, server, wire.OldestProtocol)
	}
	return nil
}

// Advice says what to do about the release of a worker's program, given the server's; empty when they are at most one
// release apart, or when one of them is no release, such as a build from source.
func Advice(server, worker string) string {
	s, known := release(server)
	w, knownToo := release(worker)
	switch {
	case !known || !knownToo || near(s, w):
		return ""
	case w[0] < s[0] || w[0] == s[0] && w[1] < s[1]:
		return fmt.Sprintf("It is too old: its release is %s, the server's %s, and more than one release apart is not tested. Update the worker.", worker, server)
	}
	return fmt.Sprintf("It is too new: its release is %s, the server's %s, and more than one release apart is not tested. Update the server.", worker, server)
}

// near reports whether two releases are at most one apart. The first of a major release is next to every one of
// the major release before, whose last nobody here knows.
func near(a, b [2]int) bool {
	if a[0] == b[0] {
		return max(a[1], b[1])-min(a[1], b[1]) <= 1
	}
	newer := a
	if b[0] > a[0] {
		newer = b
	}
	return max(a[0], b[0])-min(a[0], b[0]) == 1 && newer[1] == 0
}

// release reads the first two numbers of a version such as 1.4.2 or v1.4.2-rc.1.
func release(version string) (numbers [2]int, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 3 {
		return numbers, false
	}
	for i := range numbers {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n > 1_000_000 {
			return numbers, false
		}
		numbers[i] = n
	}
	return numbers, true
}

// advised is a worker with what to do about its release.
func (d *Desk) advised(w Worker) Worker {
	if !w.Revoked {
		w.Advice = Advice(d.port.Version, w.Version)
	}
	return w
}
