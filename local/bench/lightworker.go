package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
)

// sources is how many addresses of this host the light workers dial from.
const sources = 20

// lightWorker keeps a link as a worker does, and tells no more on it than its reporter says.
type lightWorker struct {
	dial     websocket.DialOptions
	report   *reporter  // nil: it has nothing to tell
	runs     *lightRuns // nil: it takes none
	failures int        // in a row
}

func newLightWorker(url string, token seal.Token, number int) (*lightWorker, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	hostname := fmt.Sprintf("light-%05d", number)
	certificate, err := websocket.ClientCertificate(key, hostname)
	if err != nil {
		return nil, err
	}
	w := &lightWorker{dial: websocket.DialOptions{Server: url, Token: secrets.NewValue(token.Reveal()), Certificate: certificate,
		From:  netip.AddrFrom4([4]byte{127, 0, 0, byte(2 + number%sources)}),
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: hostname, Version: "bench", OS: "linux", Arch: "amd64"}}}
	if pin, pinned := token.Pin(); pinned {
		w.dial.Pin = &pin
	}
	return w, nil
}

// run comes back until ctx ends.
func (w *lightWorker) run(ctx context.Context, m *meeting) {
	for ctx.Err() == nil {
		began := time.Now()
		conn, _, err := websocket.Dial(ctx, w.dial)
		m.came(time.Since(began), err)
		var told time.Duration
		if err == nil {
			w.failures = 0
			told = w.serve(ctx, conn, m)
		}
		_ = pause(ctx, w.wait(told, err)) // the loop looks at ctx
	}
}

// wait is how long the real worker would wait after a link, or an attempt, that ended like this.
func (w *lightWorker) wait(told time.Duration, err error) time.Duration {
	jitter := rand.N(min(time.Second<<min(w.failures, 10), time.Minute))
	w.failures++
	var f *fault.Error
	switch {
	case told > 0:
		w.failures = 0
		return told + min(jitter, time.Second)
	case errors.As(err, &f) && f.RetryAfter > 0:
		return f.RetryAfter + min(jitter, max(f.RetryAfter/4, time.Second))
	}
	return jitter
}

// serve greets the server and listens until the link is over; told is when it said to come back.
func (w *lightWorker) serve(ctx context.Context, conn link.Conn, m *meeting) (told time.Duration) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if send(conn, wire.Hello{Version: "bench", Hostname: w.dial.Enrol.Hostname, Tags: []string{}, OS: "linux", Arch: "amd64", Runs: w.runs != nil, Journal: []wire.JournalEntry{}}) != nil {
		return 0
	}
	for {
		frame, err := conn.ReadFrame()
		if err != nil {
			return told
		}
		message, err := wire.Decode(frame)
		if err != nil {
			return told
		}
		switch said := message.(type) {
		case wire.Welcome:
			m.inService(1)
			defer m.inService(-1)
			if w.report == nil {
				defer keepAlive(conn, beat, func() error { return nil })()
				continue
			}
			w.report.begin()
			if w.report.mute {
				w.report.fallSilent(ctx, conn, m)
				return 0
			}
			defer keepAlive(conn, 0, func() error { return w.report.say(conn, m) })()
		case wire.Command:
			if w.runs != nil && w.runs.do(conn, said) != nil {
				return told
			}
		case wire.Bye:
			told = time.Duration(said.RetrySeconds) * time.Second
		}
	}
}

// keepAlive sends heartbeats, the first one after so long, and what is to be told with each, until stop.
func keepAlive(conn link.Conn, first time.Duration, tell func() error) (stop func()) {
	number := uint64(0)
	var timer *time.Timer
	set := make(chan struct{})
	timer = time.AfterFunc(first, func() {
		<-set
		number++
		if send(conn, wire.Heartbeat{Number: number}) == nil && tell() == nil {
			timer.Reset(beat)
		}
	})
	close(set)
	return func() { timer.Stop() }
}

func send(conn link.Conn, message any) error {
	frame, err := wire.Encode(message)
	if err != nil {
		return err
	}
	if err := conn.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	return conn.WriteFrame(frame)
}
