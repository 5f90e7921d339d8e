package faultyhttp

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Pipe is a listener whose connections stay within the process.
type Pipe struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// Serve serves handler on a new Pipe; end closes it, together with every connection.
func Serve(handler http.Handler) (p *Pipe, end func()) {
	p = &Pipe{waiting: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(p) }) // it ends with http.ErrServerClosed, by end
	return p, func() {
		_ = server.Close() // closes what it has
		served.Wait()
	}
}

// Dial connects to the server, whatever the address is.
func (p *Pipe) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.waiting <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *Pipe) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
