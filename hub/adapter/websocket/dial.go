package websocket

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"time"

	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/link"
)

const (
	handshakeTimeout = 10 * time.Second
	enrolTimeout     = 30 * time.Second
)

// DialOptions say where the server is and how both ends prove themselves.
type DialOptions struct {
	Server string        // SERVER_URL, https://<host>:<port>
	Token  secrets.Value // WORKER_TOKEN; sent only to a server that has proven itself
	// Pin is the SHA-256 of the server's public key, as the token carries it; the server is the one
	// that holds this key. nil: Roots decide, with the name and the dates.
	Pin   *seal.Pin
	Roots *x509.CertPool // nil: the host's
	// SkipVerify trusts whoever answers, and goes before Pin (WORKER_TLS_SKIP_VERIFY).
	SkipVerify  bool
	Certificate tls.Certificate // ClientCertificate of the worker's own key
	Enrol       wire.Enrol
	From        netip.Addr // the address of this host to dial from; zero: as the kernel chooses

	network network // tests bring their own
}

// Dial connects to the server's worker port, makes sure that it is the right server,
// enrols, and upgrades the same connection. The caller closes conn. Each step has its own time
// limit: 10 s to connect, for the TLS handshake and for the upgrade, 30 s to enrol.
//
// Errors: the cause of ctx when that ended; *Refused when the server said no; or faults:
// Invalid "server.address" and "wire.invalid" (Enrol), Unavailable "server.unreachable",
// Forbidden "server.untrusted" (nothing was sent), Unavailable "server.answer" for what is no
// answer of a worker port.
func Dial(ctx context.Context, o DialOptions) (conn link.Conn, enrolled wire.Enrolled, err error) {
	server, err := parseServer(o.Server)
	if err != nil {
		return nil, wire.Enrolled{}, err
	}
	if err := wire.Validate(o.Enrol); err != nil {
		return nil, wire.Enrolled{}, err
	}
	n := o.network
	if n.dial == nil {
		n = realNetwork
	}
	if o.From.IsValid() {
		n.dial = (&net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.From, 0))}).DialContext
	}
	tcp, err := n.connect(ctx, server.Hostname(), port(server))
	if err != nil {
		return nil, wire.Enrolled{}, orCause(ctx, unreachable(server, err))
	}
	conn, enrolled, err = o.converse(ctx, tcp, server)
	if err != nil {
		tcp.Close()
		return nil, wire.Enrolled{}, orCause(ctx, err)
	}
	return conn, enrolled, nil
}

// converse goes from a TCP connection to a link.
func (o DialOptions) converse(ctx context.Context, tcp net.Conn, server *url.URL) (c *conn, enrolled wire.Enrolled, err error) {
	secure := tls.Client(tcp, o.clientConfig(server.Hostname()))
	err = within(ctx, secure, handshakeTimeout, secure.Handshake)
	if err != nil {
		return nil, enrolled, untrusted(server, err)
	}
	err = within(ctx, secure, enrolTimeout, func() (err error) {
		enrolled, err = o.enrol(secure, server)
		return err
	})
	if err != nil {
		return nil, enrolled, err
	}
	err = within(ctx, secure, upgradeTimeout, func() (err error) {
		c, err = o.upgrade(secure, server)
		return err
	})
	return c, enrolled, err
}

// within runs step, which uses conn, and breaks it off after limit or when ctx ends.
func within(ctx context.Context, conn net.Conn, limit time.Duration, step func() error) error {
	conn.SetDeadline(time.Now().Add(limit))
	broken := make(chan struct{})
	disarm := context.AfterFunc(ctx, func() {
		defer close(broken)
		conn.SetDeadline(time.Unix(1, 0))
	})
	err := step()
	if !disarm() {
		<-broken
		return context.Cause(ctx)
	}
	conn.SetDeadline(time.Time{})
	return err
}

func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
