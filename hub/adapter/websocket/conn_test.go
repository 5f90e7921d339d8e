package websocket

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	ws "golang.org/x/net/websocket"

	"berth/core/wire"
	"berth/hub/link"
)

// ends opens a port and dials it: the two ends of one real connection.
func ends(t *testing.T) (server, client *conn) {
	t.Helper()
	accepted, release := make(chan *conn), make(chan struct{})
	p := openPort(t, portOptions{accept: acceptInto(accepted, release)})
	client = dial(t, p.worker(t))
	server = until(t, accepted)
	t.Cleanup(func() { close(release) })
	return server, client
}

// acceptInto hands links over, and lets each go when release is closed.
func acceptInto(accepted chan<- *conn, release <-chan struct{}) func(context.Context, link.Conn, *http.Request) {
	return func(_ context.Context, c link.Conn, _ *http.Request) {
		accepted <- c.(*conn)
		<-release
	}
}

// frame builds a WebSocket frame by hand, masked with zeros as a client's.
func frame(first byte, size uint64, payload []byte) []byte {
	b := []byte{first, 0x80 | 127}
	b = binary.BigEndian.AppendUint64(b, size)
	b = append(b, 0, 0, 0, 0)
	return append(b, payload...)
}

const fin = 0x80

func TestFramesUpToTheLimit(t *testing.T) {
	server, client := ends(t)
	for _, size := range []int{0, 1, 125, 126, smallFrame, smallFrame + 1, 1<<16 - 1, 1 << 16, wire.MaxFrame} {
		want := bytes.Repeat([]byte{0xa5}, size)
		for _, way := range []struct{ from, to *conn }{{server, client}, {client, server}} {
			written := make(chan error, 1)
			go func() { written <- way.from.WriteFrame(want) }()
			got, err := way.to.ReadFrame()
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
			}
			if err := until(t, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := client.WriteFrame(make([]byte, wire.MaxFrame+1)); !wire.Violation(err) {
		t.Errorf("a frame over the limit can be written: %v", err)
	}
}

func TestFramesThatAreRefused(t *testing.T) {
	for name, raw := range map[string][]byte{
		"one byte over the limit":    frame(fin|ws.BinaryFrame, wire.MaxFrame+1, nil),
		"a length near 2^63":         frame(fin|ws.BinaryFrame, 1<<63-1, nil),
		"the beginning of fragments": frame(ws.BinaryFrame, 1, []byte("x")),
		"the rest of fragments":      frame(fin|ws.ContinuationFrame, 1, []byte("x")),
		"an extension's bit":         frame(fin|0x40|ws.BinaryFrame, 1, []byte("x")),
		"an unknown kind":            frame(fin|3, 1, []byte("x")),
		"an unknown control frame":   frame(fin|11, 1, []byte("x")),
		"a large ping":               frame(fin|ws.PingFrame, 126, nil),
		"a close of a megabyte":      frame(fin|ws.CloseFrame, 1<<20, nil),
		"no mask":                    {fin | ws.BinaryFrame, 1, 'x'},
		"a flood of pings":           bytes.Repeat(frame(fin|ws.PingFrame, 1, []byte("x")), maxPings),
	} {
		t.Run(name, func(t *testing.T) {
			server, client := ends(t)
			if _, err := client.raw.Write(raw); err != nil {
				t.Fatal(err)
			}
			if _, err := server.ReadFrame(); !wire.Violation(err) {
				t.Errorf("ReadFrame = %v", err)
			}
		})
	}
	t.Run("a mask from the server", func(t *testing.T) {
		server, client := ends(t)
		server.raw.Write(frame(fin|ws.BinaryFrame, 1, []byte("x")))
		if _, err := client.ReadFrame(); !wire.Violation(err) {
			t.Errorf("ReadFrame = %v", err)
		}
	})
}

func TestTextAndControlFrames(t *testing.T) {
	server, client := ends(t)
	client.raw.Write(frame(fin|ws.PongFrame, 2, []byte("no")))
	client.raw.Write(frame(fin|ws.PingFrame, 2, []byte("hi")))
	client.raw.Write(frame(fin|ws.TextFrame, 4, []byte("text")))
	if got, err := server.ReadFrame(); err != nil || string(got) != "text" {
		t.Fatalf("ReadFrame = %q, %v", got, err)
	}
	client.raw.SetReadDeadline(time.Now().Add(10 * time.Second))
	pong := make([]byte, 4)
	if _, err := io.ReadFull(client.raw, pong); err != nil || !bytes.Equal(pong, []byte{fin | ws.PongFrame, 2, 'h', 'i'}) {
		t.Errorf("the ping was answered by %q, %v", pong, err)
	}
	client.raw.Write(frame(fin|ws.CloseFrame, 2, []byte{3, 232}))
	if _, err := server.ReadFrame(); err != io.EOF {
		t.Errorf("after a close frame: %v", err)
	}
}

// N5: half a frame is never taken for a whole one, however the connection ends.
func TestConnectionEndsInTheMiddleOfAFrame(t *testing.T) {
	for name, end := range map[string]func(*tls.Conn){
		"by a reset": func(c *tls.Conn) {
			c.NetConn().(*net.TCPConn).SetLinger(0)
			c.NetConn().Close()
		},
		"by the network": func(c *tls.Conn) { c.NetConn().Close() },
		"in order":       func(c *tls.Conn) { c.Close() },
	} {
		for _, size := range []uint64{100, 500_000} {
			t.Run(name, func(t *testing.T) {
				server, client := ends(t)
				client.raw.Write(frame(fin|ws.BinaryFrame, size, []byte(`bye {}`)))
				end(client.raw.(*tls.Conn))
				if got, err := server.ReadFrame(); err == nil || err == io.EOF {
					t.Errorf("ReadFrame = %q, %v", got, err)
				}
			})
		}
	}
}

func TestDeadlines(t *testing.T) {
	server, client := ends(t)
	server.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for { // the peer does not read: the buffers of the system fill up
		if err := server.WriteFrame(make([]byte, wire.MaxFrame)); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("WriteFrame = %v", err)
			}
			break
		}
	}
	client.SetReadDeadline(time.Now().Add(time.Millisecond))
	for {
		if _, err := client.ReadFrame(); err != nil {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("ReadFrame = %v", err)
			}
			break
		}
	}
}

// fill writes below TLS until the peer, which does not read, can be sent no more.
func fill(t *testing.T, c *conn) {
	t.Helper()
	tcp := c.raw.(*tls.Conn).NetConn()
	defer tcp.SetWriteDeadline(time.Time{})
	for _, size := range []int{1 << 20, 1} { // the last gap too
		for err := error(nil); err == nil; {
			tcp.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
			if _, err = tcp.Write(make([]byte, size)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal(err)
			}
		}
	}
}

func TestCloseUnblocksAStuckWriter(t *testing.T) {
	server, _ := ends(t)
	fill(t, server)
	stuck := make(chan error, 1)
	go func() { stuck <- server.WriteFrame(make([]byte, wire.MaxFrame)) }()
	for deadline := time.Now().Add(10 * time.Second); server.writing.TryLock(); runtime.Gosched() {
		server.writing.Unlock()
		if time.Now().After(deadline) {
			t.Fatal("the writer does not begin")
		}
	}
	begin := time.Now()
	server.Close()
	if err := until(t, stuck); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("WriteFrame = %v", err)
	}
	if took := time.Since(begin); took > closeTimeout/2 {
		t.Errorf("it took %v", took)
	}
}

// A peer that takes nothing must not hold up a hub that stops.
func TestCloseDoesNotWaitForAFullConnection(t *testing.T) {
	server, _ := ends(t)
	fill(t, server)
	begin := time.Now()
	server.Close()
	if took := time.Since(begin); took > closeTimeout+time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := server.ReadFrame(); err == nil {
		t.Error("the connection is still open")
	}
}

func TestCloseFromEverywhereAtOnce(t *testing.T) {
	server, client := ends(t)
	var all sync.WaitGroup
	for _, c := range []*conn{server, client} {
		all.Go(func() {
			for c.WriteFrame([]byte("x")) == nil {
			}
		})
		all.Go(func() {
			for {
				if _, err := c.ReadFrame(); err != nil {
					return
				}
			}
		})
		for range 4 {
			all.Go(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	until(t, done)
}

func TestOrderlyCloseIsEOF(t *testing.T) {
	server, client := ends(t)
	client.Close()
	if _, err := server.ReadFrame(); err != io.EOF {
		t.Errorf("ReadFrame = %v", err)
	}
}

func TestUpgradeRefuses(t *testing.T) {
	p := openPort(t, portOptions{})
	client := p.Client()
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{
		InsecureSkipVerify: true, Certificates: []tls.Certificate{p.worker(t).Certificate}}
	upgrade := map[string]string{"Connection": "keep-alive, Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
	for name, c := range map[string]struct {
		method string
		change map[string]string
		status int
	}{
		"a POST":                    {"POST", nil, 405},
		"a browser":                 {"GET", map[string]string{"Origin": p.URL}, 403},
		"a browser's sandbox":       {"GET", map[string]string{"Origin": "null"}, 403},
		"a plain GET":               {"GET", map[string]string{"Upgrade": ""}, 426},
		"an upgrade to h2c":         {"GET", map[string]string{"Upgrade": "h2c"}, 426},
		"no connection header":      {"GET", map[string]string{"Connection": "keep-alive"}, 426},
		"an old WebSocket":          {"GET", map[string]string{"Sec-WebSocket-Version": "8"}, 426},
		"no key":                    {"GET", map[string]string{"Sec-WebSocket-Key": ""}, 426},
		"nothing wrong":             {"GET", nil, 101},
		"subprotocols, not spoken ": {"GET", map[string]string{"Sec-WebSocket-Protocol": "a, b"}, 101},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := http.NewRequest(c.method, p.URL+wire.LinkPath, nil)
			for k, v := range upgrade {
				r.Header.Set(k, v)
			}
			for k, v := range c.change {
				r.Header.Set(k, v)
				if v == "" {
					r.Header.Del(k)
				}
			}
			answer, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != c.status {
				t.Errorf("the answer is %d, want %d", answer.StatusCode, c.status)
			}
			if c.status != 101 && !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") {
				t.Errorf("refused as %s", answer.Header.Get("Content-Type"))
			}
			if answer.Header.Get("Sec-WebSocket-Protocol") != "" {
				t.Error("a subprotocol was agreed on")
			}
		})
	}
}

// A link is its owner's alone: it goes on when the request's handler has returned.
func TestALinkOutlivesItsRequest(t *testing.T) {
	upgraded, returned := make(chan link.Conn, 1), make(chan struct{})
	p := openPort(t, portOptions{before: func(w http.ResponseWriter, r *http.Request) bool {
		defer close(returned)
		upgraded <- Upgrade(w, r)
		return true
	}})
	client := dial(t, p.worker(t))
	server := until(t, upgraded)
	t.Cleanup(func() { server.Close() })
	until(t, returned)
	for _, way := range []struct{ from, to link.Conn }{{server, client}, {client, server}} {
		if err := way.from.WriteFrame([]byte("still here")); err != nil {
			t.Fatal(err)
		}
		if got, err := way.to.ReadFrame(); err != nil || string(got) != "still here" {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// What a client sends before it was answered is not lost.
func TestMessagesBeforeTheAnswerArrive(t *testing.T) {
	got := make(chan string, 3)
	p := openPort(t, portOptions{accept: func(_ context.Context, c link.Conn, _ *http.Request) {
		for range cap(got) {
			frame, err := c.ReadFrame()
			if err != nil {
				got <- err.Error()
				return
			}
			got <- string(frame)
		}
	}})
	worker := p.worker(t)
	raw, err := tls.Dial("tcp", p.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{worker.Certificate}})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	early := []byte("GET " + wire.LinkPath + " HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	large := strings.Repeat("b", 2*readBuffer)
	whole := frame(fin|ws.TextFrame, uint64(len(large)), []byte(large))
	early = append(append(early, frame(fin|ws.TextFrame, 1, []byte("a"))...), whole[:readBuffer]...)
	if _, err := raw.Write(early); err != nil {
		t.Fatal(err)
	}
	if text := until(t, got); text != "a" {
		t.Errorf("first came %q", text)
	}
	if _, err := raw.Write(append(whole[readBuffer:], frame(fin|ws.TextFrame, 1, []byte("c"))...)); err != nil {
		t.Fatal(err)
	}
	if text := until(t, got); text != large {
		t.Errorf("then came %d bytes, want %d", len(text), len(large))
	}
	if text := until(t, got); text != "c" {
		t.Errorf("at last came %q", text)
	}
}
