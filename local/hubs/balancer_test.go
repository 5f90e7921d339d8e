package hubs

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// balancer is the one address before the worker ports of all hubs. Connections go to those that
// accept them, in turns; it knows nothing else of hubs.
type balancer struct {
	listener net.Listener

	mu      sync.Mutex
	targets []string          // guarded by mu
	next    int               // guarded by mu
	open    map[net.Conn]bool // guarded by mu: of workers
	passing sync.WaitGroup
}

// accepting is how long a hub may take to accept before the next one is asked.
const accepting = time.Second

func newBalancer(t testing.TB, address string) *balancer {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: l, open: map[net.Conn]bool{}}
	b.passing.Go(b.accept)
	t.Cleanup(func() {
		l.Close()
		b.mu.Lock()
		for c := range b.open {
			c.Close()
		}
		b.open = nil
		b.mu.Unlock()
		b.passing.Wait()
	})
	return b
}

func (b *balancer) address() string { return b.listener.Addr().String() }

// before puts the balancer before these worker ports.
func (b *balancer) before(targets ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets = targets
}

func (b *balancer) accept() {
	for {
		worker, err := b.listener.Accept()
		if err != nil {
			return // closed
		}
		b.mu.Lock()
		if b.open == nil {
			worker.Close()
		} else {
			b.open[worker] = true
			b.passing.Go(func() { b.pass(worker) })
		}
		b.mu.Unlock()
	}
}

// pass carries one connection until either end closes it.
func (b *balancer) pass(worker net.Conn) {
	defer func() {
		worker.Close()
		b.mu.Lock()
		delete(b.open, worker)
		b.mu.Unlock()
	}()
	for _, target := range b.inTurn() {
		hub, err := net.DialTimeout("tcp", target, accepting)
		if err != nil {
			continue
		}
		var ways sync.WaitGroup
		carry := func(to, from net.Conn) {
			io.Copy(to, from) // until it is over, however
			to.Close()
			from.Close()
		}
		ways.Go(func() { carry(hub, worker) })
		ways.Go(func() { carry(worker, hub) })
		ways.Wait()
		return
	}
}

// inTurn returns all targets, beginning with the next one.
func (b *balancer) inTurn() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	for i := range b.targets {
		all = append(all, b.targets[(b.next+i)%len(b.targets)])
	}
	return all
}
