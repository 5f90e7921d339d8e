package outbound

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"berth/core/fault"
)

// dialer returns the dialer of whoever brings none. It looks at the address that is really dialled,
// after names were resolved.
func dialer(limit time.Duration, where string) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: limit, KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error { return permitted(address, where) }}
	return d.DialContext
}

// permitted refuses addresses at which no service lives that a person means: those of the link, where the
// metadata of cloud machines and its credentials are, and those of many. Private ones are what most
// backends have.
func permitted(address, where string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip == awsMetadata || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return fault.New(fault.Conflict, "outbound.address_refused",
			"the configured address leads to %s, which is not one that a service may have; correct it %s", ip, where)
	}
	return nil
}

// awsMetadata is where machines at Amazon find their metadata over IPv6.
var awsMetadata = netip.MustParseAddr("fd00:ec2::254")
