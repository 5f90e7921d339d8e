package workerport

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"berth/hub/adapter/websocket"
)

// gate accepts connections as long as there is room for those that have no link yet.
// Beyond that it closes new ones at once: one host cannot keep the others out by opening
// connections and saying nothing.
type gate struct {
	net.Listener
	limits Limits
	turned func() // called for each that finds no room

	mu      sync.Mutex
	pending int            // guarded by mu
	byHost  map[string]int // guarded by mu
}

func newGate(l net.Listener, limits Limits, turned func()) *gate {
	return &gate{Listener: l, limits: limits, turned: turned, byHost: map[string]int{}}
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
			return &gated{Conn: websocket.NewPatient(conn), leave: sync.OnceFunc(func() { g.left(host) })}, nil
		}
		conn.Close()
		g.turned()
	}
}

func (g *gate) enter(host string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending >= g.limits.Pending || g.byHost[host] >= g.limits.PerAddress {
		return false
	}
	g.pending++
	g.byHost[host]++
	return true
}

func (g *gate) left(host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending--
	if g.byHost[host]--; g.byHost[host] == 0 {
		delete(g.byHost, host)
	}
}

// gated is a connection that counts as pending until it has a link or is closed.
type gated struct {
	net.Conn
	leave func()
}

// NetConn returns the connection below.
func (c *gated) NetConn() net.Conn { return c.Conn }

// Close closes the connection and makes room.
func (c *gated) Close() error {
	c.leave()
	return c.Conn.Close()
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
		conn.leave()
	}
}
