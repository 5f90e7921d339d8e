package workerport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"berth/core"
	"berth/hub/adapter/websocket"
)

var errCrowded = errors.New("more connections want a link than the server can serve")

// gate accepts connections as long as there is room for those that have no link yet.
// Beyond that it closes new ones at once: one host cannot keep the others out by opening
// connections and saying nothing.
//
// Of those that begin to speak it hears out no more than links were made lately: a server that is slow for a while would
// else begin thousands of TLS handshakes at once, none of which ends before its worker gives up and comes again.
type gate struct {
	net.Listener
	limits Limits
	now    core.Clock
	turned func() // called for each that finds no room

	mu       sync.Mutex
	pending  crowd  // guarded by mu: connections that have no link yet
	speaking crowd  // guarded by mu: those of them that have said something
	linked   lately // guarded by mu: links that were made
}

// crowd counts connections, and those of each host.
type crowd struct {
	all    int
	byHost map[string]int
}

// take counts one more of a host, unless that would be more than most, or than share of the host.
func (c *crowd) take(host string, most, share int) bool {
	if c.all >= most || c.byHost[host] >= share {
		return false
	}
	c.all++
	c.byHost[host]++
	return true
}

func (c *crowd) give(host string) {
	c.all--
	if c.byHost[host]--; c.byHost[host] == 0 {
		delete(c.byHost, host)
	}
}

func newGate(l net.Listener, limits Limits, now core.Clock, turned func()) *gate {
	return &gate{Listener: l, limits: limits, now: now, turned: turned, pending: crowd{byHost: map[string]int{}}, speaking: crowd{byHost: map[string]int{}}}
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(conn.RemoteAddr().String())
		if g.enter(host) {
			return &gated{Conn: websocket.NewPatient(conn), gate: g, host: host}, nil
		}
		conn.Close()
		g.turned()
	}
}

func (g *gate) enter(host string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pending.take(host, g.limits.Pending, g.limits.PerAddress)
}

// hear counts a connection among those that speak, when it is open and there is room. A single host gets a quarter of that.
func (g *gate) hear(c *gated) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	room := max(g.limits.Speaking, g.linked.sum(g.now()))
	if c.state != silent || !g.speaking.take(c.host, room, max(room/4, 1)) {
		return false
	}
	c.state = speaking
	return true
}

// gated is a connection that counts as pending until it has a link or is closed.
type gated struct {
	net.Conn
	gate *gate
	host string

	state gatedState // guarded by the gate's mu
	heard bool       // of the reader: the state is not silent any more
}

// gatedState is what a connection counts as.
type gatedState int

const (
	silent gatedState = iota
	speaking
	counted // as nothing any more
)

// NetConn returns the connection below.
func (c *gated) NetConn() net.Conn { return c.Conn }

// Read fails when the peer begins to speak and there is no room to hear it out.
func (c *gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n == 0 || c.heard {
		return n, err
	}
	c.heard = true
	if !c.gate.hear(c) {
		c.gate.turned()
		return 0, errCrowded
	}
	return n, err
}

// Close closes the connection and makes room.
func (c *gated) Close() error {
	c.leave(false)
	return c.Conn.Close()
}

// leave makes room: the connection has a link, or is closed.
func (c *gated) leave(linked bool) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.state == counted {
		return
	}
	if c.state == speaking {
		c.gate.speaking.give(c.host)
	}
	c.gate.pending.give(c.host)
	c.state = counted
	if linked {
		c.gate.linked.add(c.gate.now())
	}
}

type gatedKey struct{}

// withGated lets a request's handler find its connection.
func withGated(ctx context.Context, conn net.Conn) context.Context {
	if secure, is := conn.(*tls.Conn); is {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, gatedKey{}, conn)
}

// settled makes room at the gate: this request's connection has a link.
func settled(ctx context.Context) {
	if conn, is := ctx.Value(gatedKey{}).(*gated); is {
		conn.leave(true)
	}
}
