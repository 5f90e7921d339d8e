package websocket

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/wire"
	"berth/hub/link"
)

const command = core.CommandID("cmd_06f4x1w2y3z4a5b6c7d8e9f0g0")

// Hello, Welcome and heartbeats over real TLS, and Bye at the end, with a link at each end.
func TestLinkOverTLS(t *testing.T) {
	hubEnd := make(chan error, 1)
	over := errors.New("the worker said bye")
	var told atomic.Int64 // microseconds
	p := openPort(t, portOptions{accept: func(ctx context.Context, c link.Conn, _ *http.Request) {
		l := link.New(c, link.Options{Side: link.Hub})
		hubEnd <- l.Run(ctx, func(ctx context.Context, msg any) error {
			switch m := msg.(type) {
			case wire.Hello:
				return l.Send(ctx, wire.Welcome{Epoch: 1, HeartbeatSeconds: 30, Version: "1"})
			case wire.Heartbeat:
				told.Store(m.RoundTripUS)
				return l.Send(ctx, wire.HeartbeatAck{Number: m.Number})
			case wire.Bye:
				return over
			}
			return errors.New("unexpected")
		})
	}})
	c := dial(t, p.worker(t))
	l := link.New(c, link.Options{Side: link.Worker})
	var pulse link.Pulse
	welcomed, beaten := make(chan struct{}), make(chan struct{}, 10)
	workerEnd := make(chan error, 1)
	go func() {
		workerEnd <- l.Run(t.Context(), func(_ context.Context, msg any) error {
			switch m := msg.(type) {
			case wire.Welcome:
				close(welcomed)
			case wire.HeartbeatAck:
				pulse.Answered(m)
				beaten <- struct{}{}
			}
			return nil
		})
	}()
	if err := l.Send(t.Context(), wire.Hello{Version: "1", Hostname: "h", OS: "linux", Arch: "arm64"}); err != nil {
		t.Fatal(err)
	}
	until(t, welcomed)
	beating := make(chan error, 1)
	go func() { beating <- pulse.Run(t.Context(), l, 5*time.Millisecond) }()
	for range 3 {
		until(t, beaten)
	}
	if told.Load() <= 0 {
		t.Error("no round trip was told")
	}
	l.Send(t.Context(), wire.Bye{Reason: "done"})
	if err := until(t, hubEnd); err != over {
		t.Errorf("the hub's end: %v", err)
	}
	if until(t, workerEnd) == nil || until(t, beating) == nil {
		t.Error("the worker's end has no reason")
	}
}

// W3: a worker that never reads is cut off after the write deadline.
func TestWorkerThatNeverReadsIsCutOff(t *testing.T) {
	hubEnd := make(chan error, 1)
	p := openPort(t, portOptions{accept: func(ctx context.Context, c link.Conn, _ *http.Request) {
		l := link.New(c, link.Options{Side: link.Hub, WriteTimeout: 200 * time.Millisecond})
		var sender sync.WaitGroup
		defer sender.Wait()
		sender.Go(func() {
			chunk := wire.BlobChunk{Digest: strings.Repeat("a", 64), Data: make([]byte, wire.MaxBlobChunk)}
			for l.Send(ctx, chunk) == nil {
			}
		})
		hubEnd <- l.Run(ctx, func(context.Context, any) error { return nil })
	}})
	dial(t, p.worker(t))
	if err := until(t, hubEnd); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the hub's end: %v", err)
	}
}

// N5: a reset in the middle of a frame ends the link with an error, and with no message.
func TestResetInTheMiddleOfAMessage(t *testing.T) {
	hubEnd, got := make(chan error, 1), make(chan any, 1)
	p := openPort(t, portOptions{accept: func(ctx context.Context, c link.Conn, _ *http.Request) {
		hubEnd <- link.New(c, link.Options{Side: link.Hub}).Run(ctx, func(_ context.Context, msg any) error {
			got <- msg
			return nil
		})
	}})
	c := dial(t, p.worker(t))
	result, err := wire.Encode(wire.Result{ID: command, Attempt: 1, Status: wire.ResultSucceeded})
	if err != nil {
		t.Fatal(err)
	}
	c.raw.Write(frame(fin|2, uint64(len(result)), result[:len(result)/2]))
	c.raw.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn).SetLinger(0)
	c.raw.(interface{ NetConn() net.Conn }).NetConn().Close()
	if err := until(t, hubEnd); err == nil || wire.Violation(err) {
		t.Errorf("the hub's end: %v", err)
	}
	if len(got) != 0 {
		t.Errorf("half a frame gave %+v", <-got)
	}
}

// Ten thousand links must stay cheap: two goroutines at each end of each.
func TestALinkCostsTwoGoroutinesAtEachEnd(t *testing.T) {
	const links = 25
	running := make(chan struct{}, links)
	p := openPort(t, portOptions{accept: func(ctx context.Context, c link.Conn, _ *http.Request) {
		link.New(c, link.Options{Side: link.Hub}).Run(ctx, func(context.Context, any) error {
			running <- struct{}{}
			return nil
		})
	}})
	o := p.worker(t)
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, links)
	for range links {
		l := link.New(dial(t, o), link.Options{Side: link.Worker})
		l.TrySend(wire.Heartbeat{Number: 1})
		go func() { ended <- l.Run(ctx, func(context.Context, any) error { return nil }) }()
		until(t, running)
	}
	if now := runtime.NumGoroutine(); now-before > 4*links+2 {
		t.Errorf("%d links cost %d goroutines", links, now-before)
	}
	stop()
	for range links {
		until(t, ended)
	}
}
