package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/wire"
)

const command = core.CommandID("cmd_06f4x1w2y3z4a5b6c7d8e9f0g0")

func event(number uint64, log string) wire.Event {
	return wire.Event{ID: command, Attempt: 1, Number: number, Log: log}
}

func beat(number uint64) wire.Heartbeat { return wire.Heartbeat{Number: number} }

// ignore is a handle for links whose incoming messages do not matter.
func ignore(context.Context, any) error { return nil }

// start runs l and returns where its end will be told.
func start(ctx context.Context, l *Link, handle func(context.Context, any) error) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx, handle) }()
	return ended
}

// read decodes the next frame that arrives at an end without a Link.
func read(t *testing.T, end *End) any {
	t.Helper()
	frame, err := end.ReadFrame()
	if err != nil {
		t.Fatal(err)
	}
	msg, err := wire.Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

func TestMessagesGoBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		hub, worker := New(a, Options{Side: Hub}), New(b, Options{Side: Worker})
		ctx, stop := context.WithCancel(t.Context())
		answered := make(chan any, 1)
		hubEnd := start(ctx, hub, func(ctx context.Context, msg any) error {
			return hub.Send(ctx, wire.HeartbeatAck{Number: msg.(wire.Heartbeat).Number})
		})
		workerEnd := start(ctx, worker, func(_ context.Context, msg any) error {
			answered <- msg
			return nil
		})
		if err := worker.Send(ctx, beat(7)); err != nil {
			t.Fatal(err)
		}
		if msg := <-answered; msg != any(wire.HeartbeatAck{Number: 7}) {
			t.Fatalf("the answer is %+v", msg)
		}
		stop()
		if err := <-hubEnd; !errors.Is(err, context.Canceled) {
			t.Errorf("the hub's end: %v", err)
		}
		<-workerEnd
	})
}

func TestRunReturnsWhyTheLinkEnded(t *testing.T) {
	ours := errors.New("ours")
	cases := map[string]struct {
		disturb func(peer *End, cancel func(error))
		handle  func(context.Context, any) error
		want    func(error) bool
	}{
		"the peer closed": {
			disturb: func(peer *End, _ func(error)) { peer.Close() },
			want:    func(err error) bool { return err == io.EOF },
		},
		"the connection was reset": {
			disturb: func(peer *End, _ func(error)) { peer.Cut() },
			want:    func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		},
		"we were told to stop": {
			disturb: func(_ *End, cancel func(error)) { cancel(ours) },
			want:    func(err error) bool { return err == ours },
		},
		"handle failed": {
			disturb: func(peer *End, _ func(error)) { peer.WriteFrame([]byte(`bye {}`)) },
			handle:  func(context.Context, any) error { return ours },
			want:    func(err error) bool { return err == ours },
		},
		"garbage arrived": {
			disturb: func(peer *End, _ func(error)) { peer.WriteFrame([]byte("\x00\xff")) },
			want:    wire.Violation,
		},
		"a message in the wrong direction arrived": {
			disturb: func(peer *End, _ func(error)) { peer.WriteFrame([]byte(`heartbeat_ack {"number":1}`)) },
			want:    wire.Violation,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := Pair()
				ctx, cancel := context.WithCancelCause(t.Context())
				handle := c.handle
				if handle == nil {
					handle = ignore
				}
				l := New(a, Options{Side: Hub})
				ended := start(ctx, l, handle)
				synctest.Wait()
				c.disturb(b, cancel)
				if err := <-ended; !c.want(err) {
					t.Errorf("Run = %v", err)
				}
				if err := l.Send(t.Context(), wire.HeartbeatAck{Number: 1}); err != ErrOver {
					t.Errorf("Send afterwards = %v", err)
				}
				if l.TrySend(wire.HeartbeatAck{Number: 1}) {
					t.Error("TrySend afterwards took the message")
				}
				if err := l.Flush(t.Context()); err != ErrOver {
					t.Errorf("Flush afterwards = %v", err)
				}
				if _, err := b.ReadFrame(); err == nil {
					t.Error("the connection is still open")
				}
				cancel(nil)
			})
		})
	}
}

func TestSilenceEndsTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Hub, ReadTimeout: 90 * time.Second})
		begin := time.Now()
		ended := start(t.Context(), l, ignore)
		time.Sleep(80 * time.Second)
		b.WriteFrame([]byte(`heartbeat {"number":1}`))
		err := <-ended
		if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "1m30s") {
			t.Errorf("Run = %v", err)
		}
		if lived := time.Since(begin); lived != 170*time.Second {
			t.Errorf("the link lived %v; a frame renews the deadline, silence of 90 s ends it", lived)
		}
	})
}

func TestReadTimeoutCanBeChangedByHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Worker, ReadTimeout: 10 * time.Second})
		begin := time.Now()
		ended := start(t.Context(), l, func(context.Context, any) error {
			l.SetReadTimeout(time.Minute)
			return nil
		})
		b.WriteFrame([]byte(`heartbeat_ack {"number":1}`))
		<-ended
		if lived := time.Since(begin); lived != time.Minute {
			t.Errorf("the link lived %v", lived)
		}
	})
}

// N4: the worker hears the hub, but nothing of what it says arrives.
func TestOneWayPartitionEndsBothEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		hub, worker := New(a, Options{Side: Hub}), New(b, Options{Side: Worker})
		hubEnd, workerEnd := start(t.Context(), hub, ignore), start(t.Context(), worker, ignore)
		b.Stall(true)
		var pulse Pulse
		beating := make(chan error, 1)
		go func() { beating <- pulse.Run(t.Context(), worker, 30*time.Second) }()
		if err := <-hubEnd; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the hub's end: %v", err)
		}
		if err := <-workerEnd; err == nil {
			t.Error("the worker's end has no reason")
		}
		if err := <-beating; err != ErrOver {
			t.Errorf("the heartbeats ended with %v", err)
		}
	})
}

func TestPeerThatNeverReadsIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := Pair()
		l := New(a, Options{Side: Worker, WriteTimeout: 20 * time.Second, ReadTimeout: time.Hour})
		begin := time.Now()
		ended := start(t.Context(), l, ignore)
		for n := uint64(1); ; n++ {
			if err := l.Send(t.Context(), event(n, strings.Repeat("x", 10_000))); err != nil {
				if err != ErrOver {
					t.Errorf("Send = %v", err)
				}
				break
			}
		}
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Run = %v", err)
		}
		if lived := time.Since(begin); lived != 20*time.Second {
			t.Errorf("the link lived %v", lived)
		}
	})
}

func TestStoppingDoesNotWaitForASlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := Pair()
		l := New(a, Options{Side: Worker})
		ctx, stop := context.WithCancel(t.Context())
		ended := start(ctx, l, ignore)
		for l.TrySend(event(1, strings.Repeat("x", 50_000))) {
		}
		synctest.Wait() // the writer is blocked by now
		begin := time.Now()
		stop()
		<-ended
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("it took %v", waited)
		}
	})
}

func TestPanicInHandleLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Hub})
		b.WriteFrame([]byte(`bye {}`))
		func() {
			defer func() { recover() }()
			l.Run(t.Context(), func(context.Context, any) error { panic("a defect") })
			t.Error("the panic was swallowed")
		}()
		if _, err := b.ReadFrame(); err != io.EOF {
			t.Errorf("the connection: %v", err)
		}
	})
}

// W3: a flood is slowed down to the rate, not cut off, and not read ahead.
func TestFloodIsSlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Hub, Rate: 100})
		got := 0
		begin := time.Now()
		ended := start(t.Context(), l, func(context.Context, any) error {
			got++
			return nil
		})
		for n := range 1200 {
			if err := b.WriteFrame(fmt.Appendf(nil, `heartbeat {"number":%d}`, n+1)); err != nil {
				t.Fatal(err)
			}
		}
		b.Close()
		if err := <-ended; err != io.EOF {
			t.Errorf("Run = %v", err)
		}
		if took := time.Since(begin); got != 1200 || took < 9900*time.Millisecond || took > 10100*time.Millisecond {
			t.Errorf("%d frames in %v; want 200 at once and 1000 in ten seconds", got, took)
		}
	})
}
