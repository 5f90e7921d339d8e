package repositories

import (
	"net/netip"
	"testing"
)

// A13: what a name leads to is judged, whatever it is called.
func TestMayReach(t *testing.T) {
	lan := prefixes("10.1.0.0/16", "fd00:1::/32", "169.254.0.0/16", "224.0.0.0/4", "127.0.0.0/8", "::1/128")
	cases := map[string]struct {
		allowed []netip.Prefix
		reached []string
		refused []string
	}{
		"nothing allowed": {nil,
			[]string{"140.82.121.3", "8.8.8.8", "2606:50c0:8000::153", "::ffff:8.8.8.8", "192.0.1.1", "172.32.0.1", "100.128.0.1"},
			[]string{"127.0.0.1", "127.8.8.8", "::1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
				"169.254.1.1", "100.64.0.1", "100.100.100.200", "0.0.0.0", "0.1.2.3", "255.255.255.255", "240.0.0.1", "224.0.0.1", "239.255.255.250",
				"198.18.0.1", "192.0.0.8", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1",
				"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::",
				"2001::1", "2001:db8::1", "3fff::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "100::1", "5f00::1", "4000::1"}},
		"some allowed": {lan,
			[]string{"10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5", "169.254.7.7", "127.0.0.1", "::1", "8.8.8.8"},
			[]string{"10.2.0.1", "::ffff:10.2.0.1", "fd00:2::5", "224.0.0.1", "255.255.255.255", "0.0.0.0", "192.168.0.1"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, ip := range c.reached {
				if !MayReach(netip.MustParseAddr(ip), c.allowed) {
					t.Errorf("%s is refused", ip)
				}
			}
			for _, ip := range c.refused {
				if MayReach(netip.MustParseAddr(ip), c.allowed) {
					t.Errorf("%s may be reached", ip)
				}
			}
			if MayReach(netip.Addr{}, c.allowed) {
				t.Error("no address at all may be reached")
			}
		})
	}
}
