package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/link"
)

func TestHelloSaysWhoItIs(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		hello := s.start().link().greet(goOn)
		if hello.Hostname != "host-1" || hello.Version != "test" || len(hello.Tags) != 1 || hello.OS == "" || hello.Arch == "" || len(hello.Journal) != 0 {
			t.Errorf("hello %+v", hello)
		}
	})
}

func TestAHubThatMisbehavesLosesItsLink(t *testing.T) {
	cases := map[string]func(h *hubEnd){
		"says nothing":                 func(h *hubEnd) {},
		"asks before Welcome":          func(h *hubEnd) { h.send(wire.Cancel{ID: "cmd_00000000000000000000000000", Attempt: 1}) },
		"welcomes twice":               func(h *hubEnd) { h.greet(goOn); h.greetAgain() },
		"is silent after Welcome":      func(h *hubEnd) { h.greet(goOn); h.end.Stall(true) },
		"closes":                       func(h *hubEnd) { h.end.Close() },
		"resets in the middle of work": func(h *hubEnd) { h.greet(goOn); h.end.Cut() },
	}
	for name, misbehave := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().link()
				misbehave(h)
				from := time.Now()
				again := s.link()
				if took := time.Since(from); took > 3*hubBeat*time.Second+2*time.Second {
					t.Errorf("the worker came back after %v", took)
				}
				again.greet(goOn)
				cmd := deployOf(again, newStack(), 1)
				again.send(cmd)
				again.result(cmd.ID)
				h.end.Close()
			})
		})
	}
}

func (h *hubEnd) greetAgain() {
	h.send(wire.Welcome{Epoch: h.epoch, HeartbeatSeconds: hubBeat, Version: "hub", Settle: []wire.Instruction{}})
}

func TestHeartbeats(t *testing.T) {
	cases := map[string]struct {
		server int
		want   time.Duration
	}{
		"the worker's shorter interval": {30, 10 * time.Second},
		"the hub's shorter interval":    {4, 4 * time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				beats := make(chan wire.Heartbeat, 100)
				w := s.make()
				a, b := link.Pair()
				hub := link.New(b, link.Options{Side: link.Hub})
				w.options.Dial = onlyOnce(a)
				over := make(chan error)
				serve := func(ctx context.Context, msg any) error {
					switch m := msg.(type) {
					case wire.Hello:
						return hub.Send(ctx, wire.Welcome{Epoch: 1, HeartbeatSeconds: c.server, Version: "hub", Settle: []wire.Instruction{}})
					case wire.Heartbeat:
						beats <- m
						time.Sleep(20 * time.Millisecond) // the way back
						return hub.Send(ctx, wire.HeartbeatAck{Number: m.Number})
					}
					return nil
				}
				go func() { over <- hub.Run(context.Background(), serve) }()
				ctx, stop := context.WithCancel(context.Background())
				done := make(chan error)
				go func() { done <- w.Run(ctx) }()
				first := <-beats
				from := time.Now()
				second := <-beats
				if gap := time.Since(from); gap != c.want || first.Number != 1 || second.Number != 2 || second.RoundTripUS != 20_000 {
					t.Errorf("after %v: %+v, then %+v", gap, first, second)
				}
				stop()
				<-done
				<-over
			})
		})
	}
}

func TestTheHubsIntervalLimitsItsSilence(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().link()
		await(h, "Hello", any1[wire.Hello])
		h.send(wire.Welcome{Epoch: h.epoch, HeartbeatSeconds: 4, Version: "hub", Settle: []wire.Instruction{}})
		synctest.Wait()
		h.end.Stall(true)
		from := time.Now()
		s.link()
		if took := time.Since(from); took < 12*time.Second || took > 18*time.Second {
			t.Errorf("the worker gave the link up after %v", took)
		}
		h.end.Close()
	})
}

// onlyOnce dials one connection and then none.
func onlyOnce(conn link.Conn) Dial {
	return func(ctx context.Context) (link.Conn, wire.Enrolled, error) {
		if conn == nil {
			<-ctx.Done()
			return nil, wire.Enrolled{}, ctx.Err()
		}
		c := conn
		conn = nil
		return c, wire.Enrolled{HeartbeatSeconds: hubBeat, Time: time.Now()}, nil
	}
}

func TestByeSaysWhenToComeBack(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().greeted()
		from := time.Now()
		h.send(wire.Bye{Reason: "planned", RetrySeconds: 45})
		s.link()
		if took := time.Since(from); took < 45*time.Second || took > 47*time.Second {
			t.Errorf("the worker came back after %v", took)
		}
	})
}

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		err       error
		low, high time.Duration // between two attempts
		log       string
	}{
		"revoked":            {fault.New(fault.Unauthenticated, "worker.revoked", "Revoked."), 54 * time.Second, 66 * time.Second, "make a new one in the server's pages"},
		"another key":        {fault.New(fault.Forbidden, "worker.key", "No."), 54 * time.Second, 66 * time.Second, "restore worker.key"},
		"another server":     {fault.New(fault.Forbidden, "server.untrusted", "No."), 54 * time.Second, 66 * time.Second, "SERVER_URL"},
		"another version":    {fault.New(fault.Conflict, "worker.protocol", "No."), 54 * time.Second, 66 * time.Second, "one release apart"},
		"too many":           {fault.New(fault.TooMany, "worker.rate", "Wait.").After(100 * time.Second), 100 * time.Second, 125 * time.Second, "no link to the hub yet"},
		"not ready":          {fault.New(fault.Unavailable, "hub.busy", "Wait.").After(8 * time.Second), 8 * time.Second, 10 * time.Second, "no link to the hub yet"},
		"far too long":       {fault.New(fault.Unavailable, "hub.busy", "Wait.").After(24 * time.Hour), 10 * time.Minute, 11 * time.Minute, "no link to the hub yet"},
		"no network":         {errors.New("connection refused"), 0, time.Minute, "connection refused"},
		"down without a say": {fault.New(fault.Unavailable, "server.unreachable", "Away."), 0, time.Minute, "Away."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				s.hub.refuse(c.err)
				s.start()
				for len(s.hub.dialled()) < 4 {
					time.Sleep(time.Second)
				}
				dials := s.hub.dialled()
				for i := range len(dials) - 1 {
					if gap := dials[i+1].Sub(dials[i]); gap < c.low || gap > c.high {
						t.Errorf("%v between attempts %d and %d, want %v to %v", gap, i+1, i+2, c.low, c.high)
					}
				}
				if !strings.Contains(s.log.String(), c.log) {
					t.Errorf("the log does not say %q:\n%s", c.log, s.log)
				}
				s.hub.refuse(nil)
				s.greeted()
			})
		})
	}
}

func TestBackoffGrowsAndIsReset(t *testing.T) {
	var limits []time.Duration
	b := &backoff{random: func(limit time.Duration) time.Duration { limits = append(limits, limit); return limit }}
	lost := errors.New("lost")
	for range 8 {
		b.after(0, lost)
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	for i, limit := range limits {
		if limit != want[i]*time.Second {
			t.Errorf("attempt %d waits up to %v, want %v", i+1, limit, want[i]*time.Second)
		}
	}
	for range 200 {
		b.after(0, lost)
	}
	if got := b.after(0, lost); got != longestWait {
		t.Errorf("after very many failures: %v", got)
	}
	if got := b.after(stableAfter-1, lost); got != longestWait {
		t.Errorf("a link that did not last resets the wait to %v", got)
	}
	if got := b.after(stableAfter, lost); got != firstWait {
		t.Errorf("after a link that lasted: %v", got)
	}
	b.after(0, lost)
	b.after(0, lost)
	if got := b.after(time.Second, farewell{retry: 5 * time.Second}); got != 6*time.Second {
		t.Errorf("after a farewell: %v", got)
	}
	if got := b.after(0, lost); got != firstWait {
		t.Errorf("after the link that followed a farewell: %v", got)
	}
	for range 1000 {
		if d := newBackoff().random(time.Second); d < 0 || d > time.Second {
			t.Fatalf("jitter %v", d)
		}
	}
}

func TestStopWhileThereIsNoHub(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		s.hub.refuse(errors.New("away"))
		s.start()
		synctest.Wait()
		if took := s.stop(); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
	})
}

func TestStopDuringTheGreeting(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		h := s.start().link()
		await(h, "Hello", any1[wire.Hello])
		if took := s.stop(); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
		<-h.over
	})
}

func TestAnotherClockIsToldInTheLog(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		w := s.start().worker
		s.greeted()
		s.stop()
		w.options.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		w.once(context.Background(), ended())
		if !strings.Contains(s.log.String(), "clock differs") {
			t.Errorf("log:\n%s", s.log)
		}
	})
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
