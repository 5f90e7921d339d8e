package faultynet

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// piece is how many bytes are passed on at once.
const piece = 4 << 10

// window is how many bytes the kernel takes from either end before they are passed on. Loopback would
// take megabytes, which no slow link does: what was sent would long have left its sender.
const window = 8 << 10

// smallWindow sets it on a socket before it connects or listens.
func smallWindow(_, _ string, raw syscall.RawConn) error {
	var problem error
	err := raw.Control(func(fd uintptr) {
		problem = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, window)
	})
	return errors.Join(err, problem)
}

// passage is one connection through a proxy.
type passage struct {
	proxy     *Proxy
	near, far *net.TCPConn
	once      sync.Once
	over      chan struct{} // closed by reset
}

// pass carries one connection until either end, or the proxy, ends it.
func (p *Proxy) pass(near *net.TCPConn) {
	dialer := net.Dialer{Control: smallWindow}
	conn, err := dialer.Dial("tcp", p.target)
	if err != nil {
		near.Close()
		return
	}
	c := &passage{proxy: p, near: near, far: conn.(*net.TCPConn), over: make(chan struct{})}
	p.mu.Lock()
	p.conns[c] = true
	p.total++
	closed := p.closed
	p.mu.Unlock()
	if closed {
		c.reset()
	}
	var ways sync.WaitGroup
	ways.Go(func() { c.copy(Up, c.far, c.near) })
	ways.Go(func() { c.copy(Down, c.near, c.far) })
	ways.Wait()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
	near.Close()
	c.far.Close()
}

// reset breaks both ends off, without a word.
func (c *passage) reset() {
	c.once.Do(func() {
		close(c.over)
		for _, end := range []*net.TCPConn{c.near, c.far} {
			_ = end.SetLinger(0) // an error means that it is broken already
			end.Close()
		}
	})
}

// copy passes one direction on.
func (c *passage) copy(d Direction, to, from *net.TCPConn) {
	buffer := make([]byte, piece)
	for {
		if idle := c.proxy.idleLimit(); idle > 0 {
			_ = from.SetReadDeadline(time.Now().Add(idle))
		}
		n, err := from.Read(buffer)
		if n > 0 && !c.forward(d, to, buffer[:n]) {
			return
		}
		if err != nil {
			if timeout, is := err.(net.Error); is && timeout.Timeout() {
				c.reset()
			} else {
				_ = to.CloseWrite() // the peer may have gone too
			}
			return
		}
	}
}

func (p *Proxy) idleLimit() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle
}

// forward passes bytes on by the rules of the moment; false when the connection is over.
func (c *passage) forward(d Direction, to *net.TCPConn, bytes []byte) bool {
	for len(bytes) > 0 {
		n, wait, cut, ok := c.next(d, len(bytes))
		if !ok || wait > 0 && !c.rest(wait) {
			return false
		}
		if _, err := to.Write(bytes[:n]); err != nil {
			return false
		}
		bytes = bytes[n:]
		if cut {
			c.reset()
			return false
		}
	}
	return true
}

// next says how many bytes may go, after which wait, and whether the connection breaks after
// them. It blocks while the direction is held.
func (c *passage) next(d Direction, want int) (n int, wait time.Duration, cut, ok bool) {
	for {
		c.proxy.mu.Lock()
		r, turn := &c.proxy.rules[d], c.proxy.turn
		if !r.held {
			defer c.proxy.mu.Unlock()
			n = want
			if r.rate > 0 {
				n = min(n, max(1, r.rate/10))
				wait = time.Duration(n) * time.Second / time.Duration(r.rate)
			}
			if r.delay != nil {
				wait += r.delay()
			}
			if r.cutAt >= 0 && r.cutAt <= n {
				n, cut, r.cutAt = r.cutAt, true, -1
			} else if r.cutAt > n {
				r.cutAt -= n
			}
			r.passed += n
			return n, wait, cut, true
		}
		c.proxy.mu.Unlock()
		select {
		case <-turn:
		case <-c.over:
			return 0, 0, false, false
		}
	}
}

// rest waits, unless the connection ends first.
func (c *passage) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.over:
		return false
	}
}
