package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"berth/core/fault"
	"berth/core/repositories"
)

// Reach connects to SSH hosts.
type Reach struct {
	// Allowed are the ranges in which hosts may be beside public addresses: ALLOWED_PRIVATE_IP_RANGES.
	Allowed []netip.Prefix
	// Resolver finds addresses; nil: the system's.
	Resolver *net.Resolver
}

// connectTime bounds how long the first answer of an address may take.
const connectTime = 10 * time.Second

// errPrivate is an address that may not be dialled.
type errPrivate struct{ ip netip.Addr }

func (e errPrivate) Error() string { return e.ip.String() + " is a private or special address" }

// dial connects to host:port. Every address is judged when it is about to be dialled, so a name that leads
// elsewhere by then gains nothing. Forbidden "git.private_address".
func (r Reach) dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second, Resolver: r.Resolver, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if !repositories.MayReach(to.Addr(), r.Allowed) {
			return errPrivate{to.Addr().Unmap()}
		}
		return nil
	}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	var private errPrivate
	if errors.As(err, &private) {
		return nil, fault.New(fault.Forbidden, "git.private_address",
			"The SSH host %s is at %s, a private or special address, which the server may not reach. If that is meant, add its range to ALLOWED_PRIVATE_IP_RANGES and start the server again.", address, private.ip).Because(err)
	}
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}
