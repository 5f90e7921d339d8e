package link

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/wire"
)

// N7: log floods do not hold up what keeps the link and its commands alive.
func TestControlGoesBeforeBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Worker})
		for n := uint64(1); n <= 3; n++ {
			l.Send(t.Context(), event(n, strings.Repeat("x", 40_000)))
		}
		l.Send(t.Context(), beat(1))
		l.Send(t.Context(), wire.Accepted{ID: command, Attempt: 1})
		ctx, stop := context.WithCancel(t.Context())
		ended := start(ctx, l, ignore)
		want := []any{beat(1), wire.Accepted{ID: command, Attempt: 1}}
		for _, w := range want {
			if msg := read(t, b); msg != w {
				t.Errorf("got %T, want %T", msg, w)
			}
		}
		for n := uint64(1); n <= 3; n++ {
			if e, is := read(t, b).(wire.Event); !is || e.Number != n {
				t.Errorf("event %d is out of order", n)
			}
		}
		stop()
		<-ended
	})
}

func TestFullQueueHoldsBackBulkButNotControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := Pair()
		l := New(a, Options{Side: Worker, BulkQueue: 100_000})
		taken := 0
		for l.TrySend(event(1, strings.Repeat("x", 10_000))) {
			taken++
		}
		if taken != 10 {
			t.Errorf("%d chunks of 10 kB fit into 100 kB", taken)
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := l.Send(short, event(2, "x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Send into a full queue = %v", err)
		}
		if err := l.Send(short, beat(1)); err != nil {
			t.Errorf("a heartbeat waits for logs: %v", err)
		}
	})
}

func TestSmallFramesCountTowardsTheLimitToo(t *testing.T) {
	a, _ := Pair()
	l := New(a, Options{Side: Worker, ControlQueue: 10_000})
	n := uint64(0)
	for l.TrySend(beat(n + 1)) {
		n++
	}
	if n < 50 || n > 110 {
		t.Errorf("%d heartbeats wait in a queue of 10,000 bytes", n)
	}
}

func TestSendGoesOnWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Worker, BulkQueue: 1000})
		ctx, stop := context.WithCancel(t.Context())
		ended := start(ctx, l, ignore)
		const all = 200
		sent := make(chan error, 2)
		for range 2 {
			go func() {
				for n := range uint64(all / 2) {
					if err := l.Send(ctx, event(n+1, strings.Repeat("x", 3000))); err != nil {
						sent <- err
						return
					}
				}
				sent <- nil
			}()
		}
		for range all {
			read(t, b)
		}
		for range 2 {
			if err := <-sent; err != nil {
				t.Error(err)
			}
		}
		stop()
		<-ended
	})
}

func TestSendRefusesWhatThePeerWouldRefuse(t *testing.T) {
	a, b := Pair()
	l := New(a, Options{Side: Hub})
	for name, c := range map[string]struct {
		msg  any
		code string
	}{
		"the worker's message": {beat(1), wire.CodeWrongDirection},
		"no message":           {"bye", wire.CodeWrongDirection},
		"a bad value":          {wire.HeartbeatAck{}, wire.CodeInvalid},
	} {
		if err := l.Send(t.Context(), c.msg); fault.CodeOf(err) != c.code {
			t.Errorf("%s: Send = %v", name, err)
		}
		if l.TrySend(c.msg) {
			t.Errorf("%s: TrySend took it", name)
		}
	}
	// The link is as good as before.
	if err := l.Send(t.Context(), wire.HeartbeatAck{Number: 1}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := start(ctx, l, ignore)
	if msg := read(t, b); msg != any(wire.HeartbeatAck{Number: 1}) {
		t.Errorf("got %+v", msg)
	}
	stop()
	<-ended
}

func TestFlushWaitsUntilEverythingIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Hub})
		ctx, stop := context.WithCancel(t.Context())
		ended := start(ctx, l, ignore)
		if err := l.Flush(ctx); err != nil {
			t.Errorf("flushing nothing: %v", err)
		}
		l.Send(ctx, wire.Bye{Reason: "restart", RetrySeconds: 3})
		if err := l.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		stop()
		<-ended
		if msg := read(t, b); msg != any(wire.Bye{Reason: "restart", RetrySeconds: 3}) {
			t.Errorf("the peer read %+v", msg)
		}
	})
}

func TestFlushGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := Pair()
		l := New(a, Options{Side: Hub})
		l.Send(t.Context(), wire.Bye{})
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := l.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Flush = %v", err)
		}
	})
}

func TestALinkAtRestHasNoWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pair()
		l := New(a, Options{Side: Worker})
		writes := func() bool {
			synctest.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.writing
		}
		if l.TrySend(beat(1)); writes() {
			t.Error("there is a writer before Run")
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := start(ctx, l, ignore)
		for n := uint64(1); n <= 3; n++ {
			if msg := read(t, b); msg != beat(n) {
				t.Errorf("got %v, want heartbeat %d", msg, n)
			}
			if writes() {
				t.Error("there is a writer, and nothing to write")
			}
			l.TrySend(beat(n + 1))
		}
		stop()
		<-ended
	})
}
