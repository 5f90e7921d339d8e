package websocket

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fakeNetwork answers for the addresses in alive after that time; others hang.
func fakeNetwork(alive map[string]time.Duration, addresses ...string) network {
	return network{
		lookup: func(context.Context, string) ([]string, error) { return addresses, nil },
		dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			delay, lives := alive[address]
			if !lives {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			select {
			case <-time.After(max(delay, 0)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			if delay < 0 {
				return nil, errors.New("refused " + address)
			}
			return &net.TCPConn{}, nil
		},
	}
}

// N10: of two addresses, of one family, the first is dead.
func TestDeadAddressesCostLittle(t *testing.T) {
	for name, c := range map[string]struct {
		net  network
		took time.Duration
		err  string
	}{
		"one that answers":            {fakeNetwork(map[string]time.Duration{"a:1": time.Second}, "a"), time.Second, ""},
		"the first is dead":           {fakeNetwork(map[string]time.Duration{"b:1": 0}, "a", "b"), 300 * time.Millisecond, ""},
		"two are dead":                {fakeNetwork(map[string]time.Duration{"c:1": 0}, "a", "b", "c"), 600 * time.Millisecond, ""},
		"the first refuses":           {fakeNetwork(map[string]time.Duration{"a:1": -1, "b:1": 0}, "a", "b"), 0, ""},
		"the first is slow but first": {fakeNetwork(map[string]time.Duration{"a:1": 400 * time.Millisecond, "b:1": time.Second}, "a", "b"), 400 * time.Millisecond, ""},
		"all refuse":                  {fakeNetwork(map[string]time.Duration{"a:1": -1, "b:1": -1}, "a", "b"), 0, "refused b:1"},
		"all are dead":                {fakeNetwork(nil, "a", "b"), 10 * time.Second, "deadline"},
		"no address":                  {fakeNetwork(nil), 0, "no address"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				conn, err := c.net.connect(t.Context(), "server", "1")
				if took := time.Since(begin); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if c.err == "" && (err != nil || conn == nil) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
					t.Errorf("connect = %v, %v", conn, err)
				}
			})
		})
	}
}

func TestLosersOfTheRaceAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		n := network{
			lookup: func(context.Context, string) ([]string, error) { return []string{"a", "b"}, nil },
			dial: func(context.Context, string, string) (net.Conn, error) {
				time.Sleep(time.Second) // both succeed, whatever the context says
				open.Add(1)
				ours, _ := net.Pipe()
				return &countedConn{ours, func() { open.Add(-1) }}, nil
			},
		}
		conn, err := n.connect(t.Context(), "server", "1")
		if err != nil || open.Load() != 1 {
			t.Fatalf("%d connections are open, %v", open.Load(), err)
		}
		conn.Close()
	})
}

func TestANameMayNotOpenManyConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialled atomic.Int32
		n := fakeNetwork(nil, strings.Split(strings.Repeat("a ", 1000), " ")...)
		inner := n.dial
		n.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled.Add(1)
			return inner(ctx, network, address)
		}
		if _, err := n.connect(t.Context(), "server", "1"); err == nil || dialled.Load() != maxAddresses {
			t.Errorf("%d were dialled: %v", dialled.Load(), err)
		}
	})
}

func TestNamesAreResolved(t *testing.T) {
	n := network{lookup: func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }, dial: realNetwork.dial}
	if _, err := n.connect(t.Context(), "server", "1"); err == nil || err.Error() != "no such host" {
		t.Errorf("connect = %v", err)
	}
}
