package workerport

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is a connection as the gate hands it out, and its peer.
func pipe() (*gated, net.Conn) {
	ours, theirs := net.Pipe()
	return &gated{Conn: ours, leave: func() {}}, theirs
}

// N1: a handshake waits for its turn, in order; one that waits too long is closed, and whatever ends a
// handshake gives its turn to the next.
func TestHandshakesTakeTurns(t *testing.T) {
	for name, end := range map[string]func(c *gated, peer net.Conn){
		"by its answer": func(c *gated, peer net.Conn) {
			go peer.Read(make([]byte, 1))
			c.Write([]byte("x"))
		},
		"by being closed": func(c *gated, _ net.Conn) { c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turns := newTurns(1, time.Second)
				first, firstPeer := pipe()
				if err := turns.take(first); err != nil {
					t.Fatal("the first:", err)
				}
				second, peer := pipe()
				began := time.Now()
				if err := turns.take(second); !errors.Is(err, errNoTurn) || time.Since(began) != time.Second {
					t.Errorf("the second: %v after %v", err, time.Since(began))
				}
				if _, err := peer.Read(make([]byte, 1)); err != io.EOF {
					t.Errorf("its connection: %v", err)
				}
				var order []int
				done := make(chan struct{})
				for i := range 3 {
					c, peer := pipe()
					go func() {
						defer func() { done <- struct{}{} }()
						if err := turns.take(c); err != nil {
							t.Error("one that waited:", err)
						}
						order = append(order, i)
						end(c, peer)
					}()
					synctest.Wait() // so that they come in this order
				}
				end(first, firstPeer)
				for range 3 {
					<-done
				}
				if len(order) != 3 || order[0] != 0 || order[1] != 1 || order[2] != 2 {
					t.Errorf("their order was %v", order)
				}
				first.Close() // again: it has no turn to give
				first.Write(nil)
				if len(turns.slots) != 0 {
					t.Errorf("%d turns are taken by nobody", len(turns.slots))
				}
			})
		})
	}
}

// A connection that does not come through the gate has nothing to give a turn back with.
func TestOtherConnectionsTakeNoTurn(t *testing.T) {
	turns, conn := newTurns(0, 0), &net.TCPConn{}
	if err := turns.take(conn); err != nil {
		t.Error(err)
	}
}
