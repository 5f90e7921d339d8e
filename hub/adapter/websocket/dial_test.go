package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/core/wire"
	"berth/hub/link"
)

func TestEnrolmentAndLinkShareOneConnection(t *testing.T) {
	type asked struct {
		token, address string
		key            seal.Pin
		proven         bool
		body           wire.Enrol
	}
	seen := make(chan asked, 3)
	note := func(r *http.Request) asked {
		key, proven := PeerKey(r)
		return asked{token: r.Header.Get(wire.TokenHeader), address: r.RemoteAddr, key: key, proven: proven}
	}
	p := openPort(t, portOptions{
		enrol: func(w http.ResponseWriter, r *http.Request) {
			a := note(r)
			json.NewDecoder(r.Body).Decode(&a.body)
			seen <- a
			admit(w, r)
		},
		before: func(_ http.ResponseWriter, r *http.Request) bool {
			seen <- note(r)
			return false
		},
		accept: func(ctx context.Context, c link.Conn, r *http.Request) {
			seen <- note(r)
			frame, err := c.ReadFrame()
			if err == nil {
				c.WriteFrame(append([]byte("echo "), frame...))
			}
			c.ReadFrame()
		},
	})
	o := p.worker(t)
	c, enrolled, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if enrolled.HeartbeatSeconds != 30 || enrolled.Time.IsZero() {
		t.Errorf("enrolled = %+v", enrolled)
	}
	if err := c.WriteFrame([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	if frame, err := c.ReadFrame(); err != nil || string(frame) != "echo hi" {
		t.Errorf("ReadFrame = %q, %v", frame, err)
	}
	first, second, linked := until(t, seen), until(t, seen), until(t, seen)
	if first.body.Hostname != "edge-1" || first.token != tokenText || second.token != tokenText {
		t.Errorf("asked %+v, then %+v", first, second)
	}
	if first.address != second.address {
		t.Errorf("the link came from %s, the enrolment from %s", second.address, first.address)
	}
	if !first.proven || !second.proven || first.key != second.key || first.key == p.pin {
		t.Errorf("the worker's key: %x, then %x", first.key, second.key)
	}
	if linked.proven {
		t.Error("the worker's certificate stays in memory with the connection")
	}
	if c.(*conn).socket.Config().Header != nil {
		t.Error("the token stays in memory with the connection")
	}
}

func TestServerRefuses(t *testing.T) {
	say := func(status int, header map[string]string, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for name, value := range header {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			w.Write([]byte(body))
		}
	}
	problemType := map[string]string{"Content-Type": "application/problem+json"}
	cases := map[string]struct {
		answer http.HandlerFunc
		want   Refused
		kind   fault.Kind
	}{
		"an unknown token": {
			say(401, problemType, `{"code":"worker.token_invalid","detail":"Make a new one."}`),
			Refused{401, "worker.token_invalid", "Make a new one.", 0}, fault.Unauthenticated},
		"a revoked worker": {
			say(403, problemType, `{"code":"worker.revoked","detail":"Revoked."}`),
			Refused{403, "worker.revoked", "Revoked.", 0}, fault.Forbidden},
		"a conflict": {
			say(409, problemType, `{"code":"worker.protocol","detail":"Too old."}`),
			Refused{409, "worker.protocol", "Too old.", 0}, fault.Conflict},
		"too many at once": {
			say(429, map[string]string{"Content-Type": "application/problem+json", "Retry-After": "7"}, `{"code":"hub.busy","detail":"Later."}`),
			Refused{429, "hub.busy", "Later.", 7 * time.Second}, fault.TooMany},
		"a hub that starts, without a reason": {
			say(503, map[string]string{"Retry-After": "100000000"}, `<html>`),
			Refused{503, "server.refused", "The server answered 503 Service Unavailable. Check that SERVER_URL is the worker port.", time.Hour}, fault.Unavailable},
		"another server": {
			say(404, nil, `not here`),
			Refused{404, "server.refused", "The server answered 404 Not Found. Check that SERVER_URL is the worker port.", 0}, fault.NotFound},
		"a redirect": {
			say(302, map[string]string{"Location": "https://elsewhere.example/"}, ``),
			Refused{302, "server.refused", "The server answered 302 Found. Check that SERVER_URL is the worker port.", 0}, fault.Unavailable},
		"control characters in the text": {
			say(403, problemType, `{"code":"a\u001bb","detail":"red\u001b[31m\r\nline"}`),
			Refused{403, "a b", "red [31m  line", 0}, fault.Forbidden},
		"broken problem+json": {
			say(422, problemType, `{"code":`),
			Refused{422, "server.refused", "The server answered 422 Unprocessable Entity. Check that SERVER_URL is the worker port.", 0}, fault.Invalid},
	}
	for name, c := range cases {
		for step, o := range map[string]portOptions{
			"enrolment": {enrol: c.answer},
			"upgrade": {before: func(w http.ResponseWriter, r *http.Request) bool {
				c.answer(w, r)
				return true
			}},
		} {
			t.Run(name+" at "+step, func(t *testing.T) {
				p := openPort(t, o)
				_, _, err := Dial(t.Context(), p.worker(t))
				var r *Refused
				if !errors.As(err, &r) || *r != c.want {
					t.Fatalf("Dial = %v\nwant %+v", err, c.want)
				}
				var f *fault.Error
				if !errors.As(err, &f) || f.Kind != c.kind || f.RetryAfter != c.want.RetryAfter || f.Code != c.want.Code {
					t.Errorf("as a fault: %+v", f)
				}
			})
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "30": 30 * time.Second, "-5": 0, "soon": 0, "999999999999": time.Hour,
		"Sat, 14 Mar 2026 15:01:00 GMT": time.Minute, "Sat, 14 Mar 2026 14:00:00 GMT": 0, "Sun, 15 Mar 2026 15:00:00 GMT": time.Hour,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", value, got, want)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	cases := map[string]http.HandlerFunc{
		"no JSON":           func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) },
		"a worker of no id": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"heartbeat_seconds":30}`)) },
		"an endless body":   func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 200<<10)) },
		"endless headers":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 100<<10)) },
		"silence":           func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			p := openPort(t, portOptions{enrol: answer})
			_, _, err := Dial(t.Context(), p.worker(t))
			if fault.CodeOf(err) != "server.answer" {
				t.Errorf("Dial = %v", err)
			}
			if err != nil && strings.Contains(err.Error(), tokenText) {
				t.Errorf("%v shows the token", err)
			}
		})
	}
}

func TestConnectionThatCannotBeKeptForTheUpgrade(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"it will be closed": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			admit(w, r)
		},
		"more comes than was asked for": func(w http.ResponseWriter, r *http.Request) {
			body := httptest.NewRecorder()
			admit(body, r)
			c, _, _ := w.(http.Hijacker).Hijack()
			defer c.Close()
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sand more", body.Body.Len(), body.Body)
			io.Copy(io.Discard, c)
		},
	} {
		p := openPort(t, portOptions{enrol: answer})
		_, _, err := Dial(t.Context(), p.worker(t))
		if fault.CodeOf(err) != "server.answer" || !strings.Contains(err.Error(), "cannot be kept") {
			t.Errorf("%s: Dial = %v", name, err)
		}
	}
}

func TestServerAddress(t *testing.T) {
	p := openPort(t, portOptions{})
	for _, bad := range []string{"", "127.0.0.1:8443", "http://h:1", "wss://h:1", "https://", "https://u:p@h:1", "https://h:1/x", "https://h:1?x", "https://h:1#x", "https://h:x"} {
		o := p.worker(t)
		o.Server = bad
		if _, _, err := Dial(t.Context(), o); fault.CodeOf(err) != "server.address" {
			t.Errorf("Dial %q = %v", bad, err)
		}
	}
	for good, want := range map[string]string{"https://h": "443", "https://h:8443/": "8443", "https://[::1]:9": "9"} {
		u, err := parseServer(good)
		if err != nil || port(u) != want {
			t.Errorf("%s: %v, %v", good, u, err)
		}
	}
}

func TestDialChecksWhatItWouldSend(t *testing.T) {
	p := openPort(t, portOptions{})
	o := p.worker(t)
	o.Enrol.Tags = []string{"not a tag"}
	if _, _, err := Dial(t.Context(), o); fault.CodeOf(err) != wire.CodeInvalid {
		t.Errorf("Dial = %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	p := openPort(t, portOptions{})
	o := p.worker(t)
	p.Close()
	if _, _, err := Dial(t.Context(), o); fault.CodeOf(err) != "server.unreachable" {
		t.Errorf("Dial = %v", err)
	}
}

// A worker that is told to stop does not wait for a server that hangs, at any step.
func TestDialEndsWithItsContext(t *testing.T) {
	hang := make(chan struct{})
	arrived := make(chan struct{}, 1)
	wait := func(http.ResponseWriter, *http.Request) bool {
		arrived <- struct{}{}
		<-hang
		return true
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	enrolling := openPort(t, portOptions{enrol: func(w http.ResponseWriter, r *http.Request) { wait(w, r) }})
	upgrading := openPort(t, portOptions{before: wait})
	defer close(hang)
	stalled := enrolling.worker(t)
	stalled.Server = "https://" + silent.Addr().String()
	lost := enrolling.worker(t)
	lost.network = network{
		lookup: func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil },
		dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			arrived <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	go func() {
		if c, err := silent.Accept(); err == nil {
			arrived <- struct{}{}
			<-hang
			c.Close()
		}
	}()
	stop := errors.New("told to stop")
	for name, o := range map[string]DialOptions{
		"connecting": lost, "in the TLS handshake": stalled, "enrolling": enrolling.worker(t), "upgrading": upgrading.worker(t),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, _, err := Dial(ctx, o)
				ended <- err
			}()
			until(t, arrived)
			cancel(stop)
			if err := until(t, ended); !errors.Is(err, stop) {
				t.Errorf("Dial = %v", err)
			}
		})
	}
}

// Every refusal before the upgrade closes the connection: nothing is left open behind an error.
func TestFailedDialClosesItsConnection(t *testing.T) {
	var open atomic.Int32
	closed := make(chan struct{}, 1)
	p := openPort(t, portOptions{enrol: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }})
	o := p.worker(t)
	o.network = network{lookup: realNetwork.lookup, dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := realNetwork.dial(ctx, network, address)
		open.Add(1)
		return &countedConn{c, func() { open.Add(-1); closed <- struct{}{} }}, err
	}}
	if _, _, err := Dial(t.Context(), o); err == nil {
		t.Fatal("the dial succeeded")
	}
	until(t, closed)
	if open.Load() != 0 {
		t.Errorf("%d connections are left", open.Load())
	}
}

type countedConn struct {
	net.Conn
	closed func()
}

func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
