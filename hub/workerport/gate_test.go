package workerport

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// talker is a connection whose peer has said something.
type talker struct{ net.Conn }

func (talker) Read(b []byte) (int, error) { return copy(b, "hello"), nil }
func (talker) Close() error               { return nil }

// crossing is a gate and the connections that came through it.
type crossing struct {
	t      *testing.T
	gate   *gate
	at     time.Time
	turned int
}

func newCrossing(t *testing.T, limits Limits) *crossing {
	c := &crossing{t: t, at: time.Unix(1_800_000_000, 0)}
	c.gate = newGate(nil, limits, func() time.Time { return c.at }, func() { c.turned++ })
	return c
}

// come opens a connection that says nothing yet.
func (c *crossing) come(host string) *gated {
	c.t.Helper()
	if !c.gate.enter(host) {
		c.t.Fatalf("%s finds no room", host)
	}
	return &gated{Conn: talker{}, gate: c.gate, host: host}
}

// speaks reports whether the peer of a connection is heard.
func (c *crossing) speaks(conn *gated) bool {
	c.t.Helper()
	n, err := conn.Read(make([]byte, 10))
	if n == 0 != errors.Is(err, errCrowded) {
		c.t.Fatalf("read %d bytes, %v", n, err)
	}
	return err == nil
}

func TestNoMoreAreHeardOutThanLinksWereMadeLately(t *testing.T) {
	c := newCrossing(t, Limits{Pending: 1000, PerAddress: 1000, Speaking: 4})
	host := func(i int) string { return string(rune('a' + i)) }
	heard := func(n int) (conns []*gated) {
		for i := range n {
			conn := c.come(host(i % 20))
			if c.speaks(conn) {
				conns = append(conns, conn)
			} else {
				conn.Close()
			}
		}
		return conns
	}
	first := heard(10)
	if len(first) != 4 || c.turned != 6 {
		t.Fatalf("%d were heard, %d turned away", len(first), c.turned)
	}
	if !c.speaks(first[0]) {
		t.Error("who was heard once is not heard on")
	}
	for _, conn := range first {
		conn.leave(true)
		conn.Close() // much later, when the link is over: it counts once
	}
	for range 2 {
		for _, conn := range heard(4) {
			conn.leave(true)
		}
	}
	if more := heard(20); len(more) != 12 { // as many as there are links
		t.Errorf("after 12 links %d were heard", len(more))
	} else {
		for _, conn := range more {
			conn.Close()
		}
	}
	c.at = c.at.Add(span)
	if later := heard(20); len(later) != 4 {
		t.Errorf("after a pause %d were heard", len(later))
	}
	if c.gate.pending.all != 4 || c.gate.speaking.all != 4 || len(c.gate.speaking.byHost) != 4 {
		t.Errorf("4 connections are open, and %+v pending, %+v speaking", c.gate.pending, c.gate.speaking)
	}
}

func TestSpeakersOfOneHostLeaveRoomForOthers(t *testing.T) {
	c := newCrossing(t, Limits{Pending: 1000, PerAddress: 1000, Speaking: 8})
	var said strings.Builder
	for _, host := range []string{"loud", "loud", "loud", "other", "other", "third"} {
		said.WriteString(map[bool]string{true: "heard ", false: "turned "}[c.speaks(c.come(host))])
	}
	if want := "heard heard turned heard heard heard "; said.String() != want {
		t.Errorf("they are %s, want %s", said.String(), want)
	}
}

func TestWhoIsClosedIsNotHeard(t *testing.T) {
	c := newCrossing(t, Limits{Pending: 1, PerAddress: 1, Speaking: 1})
	conn := c.come("a")
	conn.Close()
	if c.speaks(conn) {
		t.Error("it is heard")
	}
	if conn.Close(); !c.speaks(c.come("a")) {
		t.Error("the next one is not heard")
	}
}

func TestLatelyForgets(t *testing.T) {
	var l lately
	at := time.Unix(1_800_000_000, 0)
	for i, want := range []int{1, 2, 3, 4, 4, 4} { // one each quarter of span
		l.add(at)
		if got := l.sum(at); got != want {
			t.Errorf("after %d: %d", i+1, got)
		}
		at = at.Add(span / 4)
	}
	for after, want := range map[time.Duration]int{0: 3, span / 4: 2, span: 0, time.Hour: 0} {
		if got := (&lately{counts: l.counts, at: l.at}).sum(at.Add(after)); got != want {
			t.Errorf("%v later: %d, want %d", after, got, want)
		}
	}
}
