package faultynet

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Direction is one of the two ways through a proxy.
type Direction int

// The directions. Up is from the one who dialled.
const (
	Up Direction = iota
	Down
)

// Proxy passes connections on to one address. Its methods may be called at any time, and hold
// for the connections that there are as well as for later ones.
type Proxy struct {
	target   string
	listener net.Listener
	pipes    sync.WaitGroup

	mu     sync.Mutex
	rules  [2]rules          // guarded by mu; by direction
	turn   chan struct{}     // guarded by mu; closed, and made anew, when a rule changes
	idle   time.Duration     // guarded by mu; 0: idle connections stay
	conns  map[*passage]bool // guarded by mu
	total  int               // guarded by mu; connections so far
	closed bool              // guarded by mu
}

// rules say what happens to bytes of one direction.
type rules struct {
	held   bool
	rate   int                  // bytes a second; 0: no limit
	delay  func() time.Duration // of each piece; nil: none
	cutAt  int                  // bytes until the connection is reset; negative: never
	passed int                  // bytes so far
}

// New starts a proxy to target, host:port. It ends with the test.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	listening := net.ListenConfig{Control: smallWindow}
	l, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, listener: l, turn: make(chan struct{}), conns: map[*passage]bool{}}
	p.rules[Up].cutAt, p.rules[Down].cutAt = -1, -1
	p.pipes.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Address returns where the proxy listens, host:port.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Hold keeps the bytes of a direction back, or lets them go.
func (p *Proxy) Hold(d Direction, held bool) { p.change(func() { p.rules[d].held = held }) }

// Slow limits a direction to so many bytes a second; 0 is no limit.
func (p *Proxy) Slow(d Direction, rate int) { p.change(func() { p.rules[d].rate = rate }) }

// Delay makes each piece of a direction wait; nil ends it.
func (p *Proxy) Delay(d Direction, delay func() time.Duration) {
	p.change(func() { p.rules[d].delay = delay })
}

// CutAfter resets the connection that carries the n-th further byte of a direction, once, after
// passing on the bytes before it.
func (p *Proxy) CutAfter(d Direction, n int) { p.change(func() { p.rules[d].cutAt = n }) }

// CutIdle closes connections that carry nothing for so long; 0 ends it.
func (p *Proxy) CutIdle(after time.Duration) { p.change(func() { p.idle = after }) }

// Connections returns how many connections there were so far.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total
}

// Passed returns how many bytes a direction has carried so far.
func (p *Proxy) Passed(d Direction) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules[d].passed
}

// Reset breaks every connection that there is.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.reset()
	}
}

func (p *Proxy) change(set func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set()
	close(p.turn)
	p.turn = make(chan struct{})
}

func (p *Proxy) close() {
	p.listener.Close()
	p.change(func() { p.closed = true })
	p.Reset()
	p.pipes.Wait()
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.pipes.Go(func() { p.pass(near.(*net.TCPConn)) })
	}
}
