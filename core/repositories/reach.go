package repositories

import (
	"net/netip"
	"slices"
)

// special are the ranges of IPv4 that are no public host's: the special-purpose registry of IANA
// (RFC 6890 and what was added since), cloud metadata with link-local addresses included.
var special = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4")

// public6 is where the public hosts of IPv6 are, and special6 what in it is none: among them what leads to an
// IPv4 address by another name.
var (
	public6  = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

// MayReach reports whether SSH hosts may be at an address: public ones always, others within the allowed
// ranges only. Nobody is at a multicast, broadcast or unspecified address, whatever is allowed.
func MayReach(ip netip.Addr, allowed []netip.Prefix) bool {
	ip = ip.Unmap()
	switch {
	case !ip.IsValid() || ip.Zone() != "" || ip.IsMulticast() || ip.IsUnspecified() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return false
	case within(ip, allowed):
		return true
	case ip.Is4():
		return !within(ip, special)
	}
	return public6.Contains(ip) && !within(ip, special6)
}

func within(ip netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(ip) })
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}
