package guard

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddress returns the address of whoever sent r. X-Forwarded-For is read from its
// end, and only as long as the hop that wrote an entry is a trusted proxy: whatever
// stands before was written by the client and proves nothing.
func clientAddress(r *http.Request, trusted []netip.Prefix) string {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr // a function host gives an address without a port
	}
	address := port.Addr().Unmap().WithZone("")
	if !inAny(trusted, address) {
		return address.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && inAny(trusted, address); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		address = hop.Unmap().WithZone("")
	}
	return address.String()
}

func inAny(prefixes []netip.Prefix, address netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}
