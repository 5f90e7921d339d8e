package workerport

import (
	"crypto/tls"
	"errors"
	"net"
	"runtime"
	"sync/atomic"
	"time"
)

// turns let few TLS handshakes compute at the same time, in the order in which they came. When thousands
// of workers come back at once, each of them would otherwise get a little of the processors,
// and all would give up before any is done.
//
// A turn begins when the client has said what it wants and ends with the server's answer, so that a
// client that is slow, or says nothing, takes none.
type turns struct {
	slots chan struct{}
	limit time.Duration
}

// turnTime is how long a handshake waits for its turn. Then its connection is closed, which costs
// next to nothing, and the worker comes back at a time of its own.
const turnTime = time.Second

var errNoTurn = errors.New("too many handshakes wait for their turn")

func newTurns(slots int, limit time.Duration) *turns {
	return &turns{slots: make(chan struct{}, slots), limit: limit}
}

// defaultTurns keep every processor busy.
func defaultTurns() *turns { return newTurns(2*runtime.GOMAXPROCS(0), turnTime) }

// config is a server's TLS configuration whose handshakes take turns.
func (t *turns) config(base *tls.Config) *tls.Config {
	base = base.Clone()
	base.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		return nil, t.take(hello.Conn) // nil: this very configuration
	}
	return base
}

// take waits for a turn of a connection, and closes it when none comes in time.
func (t *turns) take(conn net.Conn) error {
	c, is := conn.(*gated)
	if !is {
		return nil
	}
	timer := time.NewTimer(t.limit)
	defer timer.Stop()
	select {
	case t.slots <- struct{}{}:
		c.turn.begin(t)
		return nil
	case <-timer.C:
		c.Close()
		return errNoTurn
	}
}

// turn is that of one connection.
type turn struct{ of atomic.Pointer[turns] }

func (t *turn) begin(of *turns) { t.of.Store(of) }

// end gives the turn to the next; without one it does nothing.
func (t *turn) end() {
	if of := t.of.Swap(nil); of != nil {
		<-of.slots
	}
}
