package faultynet

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// echo answers every byte with itself; its address.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

func hears(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Fatalf("heard %q, %v; want %q", got, err, want)
	}
}

func TestWhatIsHeldArrivesLater(t *testing.T) {
	p := New(t, echo(t))
	conn := dial(t, p)
	say(t, conn, "one")
	hears(t, conn, "one")
	for _, d := range []Direction{Up, Down} {
		p.Hold(d, true)
		say(t, conn, "two")
		_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Fatal("it came through")
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		p.Hold(d, false)
		hears(t, conn, "two")
	}
	p.Slow(Down, 1<<20)
	p.Delay(Up, func() time.Duration { return time.Millisecond })
	say(t, conn, "three")
	hears(t, conn, "three")
	if p.Passed(Up) != len("onetwotwothree") || p.Connections() != 1 {
		t.Errorf("%d bytes over %d connections", p.Passed(Up), p.Connections())
	}
}

func TestACutPassesOnWhatCameBefore(t *testing.T) {
	p := New(t, echo(t))
	conn := dial(t, p)
	p.CutAfter(Down, 4)
	say(t, conn, "abcdefgh")
	all, err := io.ReadAll(conn)
	if len(all) > 4 || err == nil {
		t.Errorf("heard %q, %v", all, err)
	}
	conn = dial(t, p)
	say(t, conn, "again")
	hears(t, conn, "again")
	p.Reset()
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("after a reset: %v", err)
	}
}

func TestAnIdleConnectionIsCut(t *testing.T) {
	p := New(t, echo(t))
	p.CutIdle(20 * time.Millisecond)
	if _, err := dial(t, p).Read(make([]byte, 1)); err == nil {
		t.Error("it stays")
	}
}
