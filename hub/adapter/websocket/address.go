package websocket

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"berth/core/fault"
)

const (
	connectTimeout = 10 * time.Second
	nextAddress    = 300 * time.Millisecond // RFC 8305 suggests 250 ms
	maxAddresses   = 16
)

// parseServer reads SERVER_URL: https://host:port and nothing else.
func parseServer(server string) (*url.URL, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Invalid, "server.address",
			"SERVER_URL must be https://<host>:<port> of the server's worker port, without user, path or query")
	}
	u.Path = "/"
	return u, nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return "443"
}

// network is how names become connections; tests bring their own.
type network struct {
	lookup func(ctx context.Context, host string) ([]string, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

var realNetwork = network{
	lookup: net.DefaultResolver.LookupHost,
	dial:   new(net.Dialer).DialContext,
}

// connect dials the addresses of host in their order, each a little after the one before
// it or as soon as that failed, and keeps the first that answers: a dead address costs
// nextAddress, of whichever family it is.
func (n network) connect(ctx context.Context, host, port string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	addresses, err := n.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	addresses = addresses[:min(len(addresses), maxAddresses)]
	if len(addresses) == 0 {
		return nil, errors.New("the name has no address")
	}
	return n.race(ctx, cancel, addresses, port)
}

type dialled struct {
	conn net.Conn
	err  error
}

// race waits for every attempt that it started; cancel ends those that lost.
func (n network) race(ctx context.Context, cancel func(), addresses []string, port string) (won net.Conn, err error) {
	results := make(chan dialled)
	running := 0
	var failures []error
	for {
		if won == nil && len(addresses) > 0 {
			address := net.JoinHostPort(addresses[0], port)
			addresses = addresses[1:]
			running++
			go func() {
				conn, err := n.dial(ctx, "tcp", address)
				results <- dialled{conn, err}
			}()
		}
		if running == 0 {
			break
		}
		var next <-chan time.Time
		if won == nil && len(addresses) > 0 {
			next = time.After(nextAddress)
		}
		select {
		case <-next:
		case r := <-results:
			running--
			switch {
			case r.err != nil:
				failures = append(failures, r.err)
			case won == nil:
				won = r.conn
				cancel()
			default:
				r.conn.Close()
			}
		}
	}
	if won == nil {
		return nil, errors.Join(failures...)
	}
	return won, nil
}
