package workerport_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/pace"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/store"
	"berth/core/wire"
	"berth/hub/adapter/sqlite"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/workerport"
)

// fakeHub says hello back and then does as told.
type fakeHub struct {
	serve  func(ctx context.Context, conn link.Conn) error
	served chan core.WorkerID
}

func (h *fakeHub) Serve(ctx context.Context, conn link.Conn, worker core.WorkerID, _ string) error {
	h.served <- worker
	return h.serve(ctx, conn)
}

// untilClosed serves until either side is gone.
func untilClosed(ctx context.Context, conn link.Conn) error {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	for {
		frame, err := conn.ReadFrame()
		if err != nil {
			return err
		}
		if err := conn.WriteFrame(append([]byte("echo "), frame...)); err != nil {
			return err
		}
	}
}

// room is a worker port on a real store with real TLS.
type room struct {
	desk     *fleet.Desk
	hub      *fakeHub
	identity workerport.Identity
	address  string
	stop     context.CancelFunc
	ended    chan error
	failures atomic.Int64

	mu          sync.Mutex
	connections map[string]int // guarded by mu; by result
}

func (r *room) AuthenticationFailed(kind string) {
	if kind == "worker" {
		r.failures.Add(1)
	}
}

func (r *room) Connection(result string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.connections == nil {
		r.connections = map[string]int{}
	}
	r.connections[result]++
}

// counted waits until at least so many connections had this result.
func (r *room) counted(t *testing.T, result string, want int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; {
		r.mu.Lock()
		got := r.connections[result]
		r.mu.Unlock()
		if got >= want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections were %s, want %d", got, result, want)
		}
		<-tick.C
	}
}

func (r *room) Revoked(core.WorkerID) {}

func open(t *testing.T, change func(*workerport.Options)) *room {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), nil)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, db.Migrate(t.Context(), time.Now()))
	st := store.New(db, time.Now)
	ring, err := seal.NewRing(rand.Reader)
	must(t, err)
	r := &room{hub: &fakeHub{serve: untilClosed, served: make(chan core.WorkerID, 100)}, ended: make(chan error, 1)}
	r.identity, err = workerport.KeptIdentity(t.Context(), st, ring, []string{"localhost"}, time.Now())
	must(t, err)
	r.desk = fleet.NewDesk(st, ring, r, time.Now, fleet.WorkerPort{AppURL: "http://localhost:8090", Port: 8443, Pin: r.identity.KeyPin})
	opts := workerport.Options{Desk: r.desk, Hub: r.hub, Meter: r, Certificate: r.identity.Certificate, Heartbeat: 7 * time.Second,
		Limits: workerport.DefaultLimits, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	if change != nil {
		change(&opts)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r.address = listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	port := workerport.New(opts)
	go func() { r.ended <- port.Run(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := until(t, r.ended); err != nil {
			t.Errorf("Run: %v", err)
		}
		r.ended <- nil
	})
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for what another goroutine delivers.
func until[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came within 20 s")
		panic("unreachable")
	}
}

func (r *room) token(t *testing.T) seal.Token {
	t.Helper()
	issued, err := r.desk.Issue(t.Context(), access.System, fleet.TokenAsk{})
	must(t, err)
	return issued.Secret
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	cert, err := websocket.ClientCertificate(key, "edge-1")
	must(t, err)
	return cert
}

// worker is what a worker with this token and a fresh key dials with.
func (r *room) worker(t *testing.T, token seal.Token) websocket.DialOptions {
	t.Helper()
	pin, pinned := token.Pin()
	if !pinned {
		t.Fatal("the token carries no pin")
	}
	return websocket.DialOptions{Server: "https://" + r.address, Token: secrets.NewValue(token.Reveal()), Pin: &pin, Certificate: certificate(t),
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: "edge-1", Tags: []string{"eu"}, Version: "1.0", OS: "linux", Arch: "amd64"}}
}

// client speaks plain HTTPS with a key of its own, from an address of this machine.
func (r *room) client(t *testing.T, from string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DialContext: dialer.DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate(t)}}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

const goodEnrol = `{"protocol":1,"hostname":"edge-1","tags":[],"version":"1","os":"linux","arch":"amd64"}`

// ask makes a request and returns the answer with its body read.
func (r *room) ask(t *testing.T, c *http.Client, method, path, token, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://"+r.address+path, strings.NewReader(body))
	must(t, err)
	if token != "" {
		request.Header.Set(wire.TokenHeader, token)
	}
	answer, err := c.Do(request)
	must(t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer, string(content)
}

func wantProblem(t *testing.T, answer *http.Response, body string, status int, code string) {
	t.Helper()
	var problem struct {
		Code, Detail string
		Status       int
	}
	if err := json.Unmarshal([]byte(body), &problem); err != nil || answer.StatusCode != status || problem.Status != status || problem.Code != code || problem.Detail == "" {
		t.Errorf("got %d %s, want %d %s", answer.StatusCode, body, status, code)
	}
	if kind := answer.Header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("the answer is %s", kind)
	}
}

func TestAWorkerRegistersAndGetsItsLink(t *testing.T) {
	r := open(t, nil)
	options := r.worker(t, r.token(t))
	conn, enrolled, err := websocket.Dial(t.Context(), options)
	must(t, err)
	if enrolled.HeartbeatSeconds != 7 || time.Since(enrolled.Time) > time.Minute {
		t.Errorf("enrolled as %+v", enrolled)
	}
	if id := until(t, r.hub.served); id != enrolled.WorkerID {
		t.Errorf("the hub got %s, the worker is %s", id, enrolled.WorkerID)
	}
	must(t, conn.WriteFrame([]byte("hello")))
	if frame, err := conn.ReadFrame(); err != nil || string(frame) != "echo hello" {
		t.Errorf("got %q, %v", frame, err)
	}
	must(t, conn.Close())
	again, same, err := websocket.Dial(t.Context(), options)
	must(t, err)
	defer again.Close()
	if same.WorkerID != enrolled.WorkerID {
		t.Errorf("came back as %s, was %s", same.WorkerID, enrolled.WorkerID)
	}
}

func TestNothingElseIsServed(t *testing.T) {
	r := open(t, nil)
	c := r.client(t, "127.0.0.1")
	token := r.token(t).Reveal()
	for _, route := range []string{"GET /", "GET /metrics", "GET /healthz", "GET /api/custom/workers", "GET /worker/enrol", "PUT /worker/enrol", "POST /worker/link",
		"GET /worker/link/", "GET /worker//link", "GET /setup", "POST /worker/enrol/x", "OPTIONS /worker/enrol"} {
		method, path, _ := strings.Cut(route, " ")
		answer, body := r.ask(t, c, method, path, token, "")
		if answer.StatusCode != http.StatusNotFound || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") || strings.Contains(body, "berth_") {
			t.Errorf("%s: %d %s", route, answer.StatusCode, body)
		}
	}
}

func TestBadProofsAreRefused(t *testing.T) {
	r := open(t, nil)
	taken := r.token(t)
	conn, _, err := websocket.Dial(t.Context(), r.worker(t, taken))
	must(t, err)
	defer conn.Close()
	forged := seal.NewWorkerToken(core.NewID(core.PrefixWorkerToken, time.Now()), r.identity.Pin)
	unused := r.token(t)
	c := r.client(t, "127.0.0.1")
	for name, ask := range map[string]struct {
		method, path, token string
		status              int
		code                string
	}{
		"no token, registering":              {"POST", wire.EnrolPath, "", 401, "worker_port.no_token"},
		"no token, linking":                  {"GET", wire.LinkPath, "", 401, "worker_port.no_token"},
		"garbage":                            {"POST", wire.EnrolPath, "berth_wt_x", 401, "worker.token_invalid"},
		"never issued":                       {"POST", wire.EnrolPath, forged.Reveal(), 401, "worker.token_invalid"},
		"another worker's token":             {"POST", wire.EnrolPath, taken.Reveal(), 403, "worker.key_mismatch"},
		"another worker's token, linking":    {"GET", wire.LinkPath, taken.Reveal(), 403, "worker.key_mismatch"},
		"a token that nobody registered yet": {"GET", wire.LinkPath, unused.Reveal(), 401, "worker.not_enrolled"},
	} {
		t.Run(name, func(t *testing.T) {
			before := r.failures.Load()
			answer, body := r.ask(t, c, ask.method, ask.path, ask.token, goodEnrol)
			wantProblem(t, answer, body, ask.status, ask.code)
			if r.failures.Load() != before+1 {
				t.Error("the refusal was not counted")
			}
			if ask.token != "" && strings.Contains(body, ask.token) {
				t.Error("the answer shows the token")
			}
		})
	}
	if len(r.hub.served) != 1 {
		t.Errorf("the hub got %d links, want that of the good worker alone", len(r.hub.served))
	}
}

func TestBadRegistrationsAreRefused(t *testing.T) {
	r := open(t, nil)
	c, token := r.client(t, "127.0.0.1"), r.token(t).Reveal()
	for name, ask := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"empty":            {"", 400, "wire.malformed"},
		"no JSON":          {"{", 400, "wire.malformed"},
		"a tag with space": {strings.Replace(goodEnrol, `[]`, `["a b"]`, 1), 422, "wire.invalid"},
		"no host name":     {strings.Replace(goodEnrol, "edge-1", "", 1), 422, "wire.invalid"},
		"oversized":        {`{"hostname":"` + strings.Repeat("x", wire.MaxEnrol) + `"}`, 413, "worker_port.too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, body := r.ask(t, c, "POST", wire.EnrolPath, token, ask.body)
			wantProblem(t, answer, body, ask.status, ask.code)
		})
	}
	if r.failures.Load() != 0 {
		t.Errorf("%d bad bodies were counted as bad credentials", r.failures.Load())
	}
}

func TestALinkMustBeAWebSocket(t *testing.T) {
	r := open(t, nil)
	c, token := r.client(t, "127.0.0.1"), r.token(t).Reveal()
	if answer, body := r.ask(t, c, "POST", wire.EnrolPath, token, goodEnrol); answer.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	answer, body := r.ask(t, c, "GET", wire.LinkPath, token, "")
	wantProblem(t, answer, body, http.StatusUpgradeRequired, "link.upgrade")
}

// N9, the server's half: who does not speak TLS 1.3 with a key of its own says nothing
// to a handler. The pin is the worker's half.
func TestTLSIsStrict(t *testing.T) {
	r := open(t, nil)
	for name, config := range map[string]*tls.Config{
		"TLS 1.2":              {InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate(t)}},
		"no client key":        {InsecureSkipVerify: true},
		"HTTP/2 and only that": {InsecureSkipVerify: true, NextProtos: []string{"h2"}, Certificates: []tls.Certificate{certificate(t)}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := tls.Dial("tcp", r.address, config)
			if err == nil { // TLS 1.3 tells a client without certificate after its own part
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(10 * time.Second))
				_, err = conn.Read(make([]byte, 1))
			}
			var timeout net.Error
			if err == nil || errors.As(err, &timeout) && timeout.Timeout() {
				t.Errorf("the connection lives: %v", err)
			}
		})
	}
	conn, err := net.Dial("tcp", r.address)
	must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, err)
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if answer, _ := io.ReadAll(conn); bytes.Contains(answer, []byte("200")) {
		t.Errorf("plain HTTP got %q", answer)
	}
	other := r.worker(t, r.token(t))
	other.Pin = &seal.Pin{1}
	if _, _, err := websocket.Dial(t.Context(), other); err == nil || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("a wrong pin gives %v", err)
	}
}

// A4: an address that shows bad credentials is slowed, and no other one.
func TestFailuresAreThrottledByAddress(t *testing.T) {
	r := open(t, func(o *workerport.Options) { o.Limits.Failures = pace.Rule{Burst: 3, Every: time.Hour} })
	bad, good := r.client(t, "127.0.0.1"), r.client(t, "127.0.0.2")
	token := r.token(t).Reveal()
	for range 5 {
		if answer, body := r.ask(t, bad, "POST", wire.EnrolPath, token, goodEnrol); answer.StatusCode != http.StatusOK {
			t.Fatalf("what is right costs nothing: %d %s", answer.StatusCode, body)
		}
	}
	for range 3 {
		answer, body := r.ask(t, bad, "POST", wire.EnrolPath, "wrong", goodEnrol)
		wantProblem(t, answer, body, 401, "worker.token_invalid")
	}
	answer, body := r.ask(t, bad, "POST", wire.EnrolPath, token, goodEnrol)
	wantProblem(t, answer, body, 429, "worker_port.too_many_failures")
	if answer.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if answer, body := r.ask(t, good, "POST", wire.EnrolPath, r.token(t).Reveal(), goodEnrol); answer.StatusCode != http.StatusOK {
		t.Errorf("another address pays for it: %d %s", answer.StatusCode, body)
	}
}

func TestTheRateIsBounded(t *testing.T) {
	r := open(t, func(o *workerport.Options) { o.Limits.Rate = pace.Rule{Burst: 2, Every: time.Hour} })
	c, token := r.client(t, "127.0.0.1"), r.token(t).Reveal()
	for range 2 {
		if answer, body := r.ask(t, c, "POST", wire.EnrolPath, token, goodEnrol); answer.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
	}
	answer, body := r.ask(t, c, "POST", wire.EnrolPath, token, goodEnrol)
	wantProblem(t, answer, body, 503, "worker_port.busy")
	if answer.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After is %q", answer.Header.Get("Retry-After"))
	}
	r.counted(t, "busy", 1)
}

// slowDesk judges when it is told to.
type slowDesk struct {
	*fleet.Desk
	entered chan struct{}
	resume  chan struct{}
}

func (d *slowDesk) Enrol(ctx context.Context, proof fleet.Proof, ask wire.Enrol) (fleet.Worker, error) {
	d.entered <- struct{}{}
	<-d.resume
	return d.Desk.Enrol(ctx, proof, ask)
}

func TestSlowJudgementDoesNotPileUp(t *testing.T) {
	desk := &slowDesk{entered: make(chan struct{}), resume: make(chan struct{})}
	r := open(t, func(o *workerport.Options) {
		desk.Desk = o.Desk.(*fleet.Desk)
		o.Desk, o.Limits.AtOnce, o.Limits.Patience = desk, 1, 10*time.Millisecond
	})
	token := r.token(t).Reveal()
	first := make(chan int, 1)
	waiting := r.client(t, "127.0.0.1")
	go func() {
		answer, _ := r.ask(t, waiting, "POST", wire.EnrolPath, token, goodEnrol)
		first <- answer.StatusCode
	}()
	until(t, desk.entered)
	answer, body := r.ask(t, r.client(t, "127.0.0.1"), "POST", wire.EnrolPath, token, goodEnrol)
	wantProblem(t, answer, body, 503, "worker_port.busy")
	close(desk.resume)
	if status := until(t, first); status != http.StatusOK {
		t.Errorf("the one that waited got %d", status)
	}
}

func TestLinksAreBoundedAndDoNotCountAsPending(t *testing.T) {
	r := open(t, func(o *workerport.Options) { o.Limits.Links, o.Limits.Pending, o.Limits.AtOnce = 2, 1, 1 })
	var conns []link.Conn
	for range 2 {
		conn, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
		must(t, err)
		conns = append(conns, conn)
		until(t, r.hub.served)
	}
	_, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
	var refused *websocket.Refused
	if !errors.As(err, &refused) || refused.Status != 503 || refused.Code != "worker_port.full" || refused.RetryAfter == 0 {
		t.Errorf("the third link: %v", err)
	}
	r.counted(t, "accepted", 2)
	r.counted(t, "full", 1)
	must(t, conns[0].Close())
	last := r.worker(t, r.token(t))
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, _, err := websocket.Dial(t.Context(), last)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no room after a link ended: %v", err)
		}
	}
	must(t, conns[1].Close())
}

// A8: connections that say nothing keep nobody else out.
func TestSilentConnectionsOfOneHostDoNotShutOutOthers(t *testing.T) {
	r := open(t, func(o *workerport.Options) { o.Limits.PerAddress = 3 })
	for range 10 {
		silent, err := net.Dial("tcp", r.address)
		must(t, err)
		defer silent.Close()
	}
	closed, err := net.Dial("tcp", r.address)
	must(t, err)
	defer closed.Close()
	closed.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := closed.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one connection too many lives: %v", err)
	}
	if answer, body := r.ask(t, r.client(t, "127.0.0.2"), "POST", wire.EnrolPath, r.token(t).Reveal(), goodEnrol); answer.StatusCode != http.StatusOK {
		t.Errorf("another host got %d %s", answer.StatusCode, body)
	}
	r.counted(t, "crowded", 1)
}

func TestStoppingWaitsForTheHubsGoodbye(t *testing.T) {
	r := open(t, nil)
	goodbye := make(chan struct{})
	r.hub.serve = func(ctx context.Context, conn link.Conn) error {
		<-goodbye
		if ctx.Err() != nil {
			return errors.New("cut before the hub was done")
		}
		return conn.WriteFrame([]byte("bye"))
	}
	conn, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
	must(t, err)
	defer conn.Close()
	until(t, r.hub.served)
	r.stop()
	for deadline := time.Now().Add(10 * time.Second); ; { // the listener is closed first
		probe, err := net.Dial("tcp", r.address)
		if err != nil {
			break
		}
		probe.Close()
		if time.Now().After(deadline) {
			t.Fatal("still listening")
		}
	}
	close(goodbye)
	if frame, err := conn.ReadFrame(); err != nil || string(frame) != "bye" {
		t.Errorf("the goodbye was lost: %q, %v", frame, err)
	}
}

func TestStoppingCutsAHubThatHangs(t *testing.T) {
	r := open(t, func(o *workerport.Options) { o.Grace = 50 * time.Millisecond })
	conn, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
	must(t, err)
	defer conn.Close()
	until(t, r.hub.served)
	r.stop()
	if err := until(t, r.ended); err != nil {
		t.Errorf("Run: %v", err)
	}
	r.ended <- nil
	if _, err := conn.ReadFrame(); err == nil {
		t.Error("the link outlived the port")
	}
}

func TestAListenerThatFailsEndsRun(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	port := workerport.New(workerport.Options{Certificate: tls.Certificate{Certificate: [][]byte{{}}}, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err := port.Run(t.Context(), listener); err == nil {
		t.Error("Run says nothing")
	}
}

// A defect in serving one link ends that link: not the process, and not the others.
func TestADefectEndsOneLinkAlone(t *testing.T) {
	r := open(t, nil)
	broken := false
	r.hub.serve = func(ctx context.Context, conn link.Conn) error {
		if !broken {
			broken = true
			panic("a defect")
		}
		return untilClosed(ctx, conn)
	}
	first, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
	must(t, err)
	defer first.Close()
	until(t, r.hub.served)
	if frame, err := first.ReadFrame(); err == nil {
		t.Errorf("the link goes on with %q", frame)
	}
	second, _, err := websocket.Dial(t.Context(), r.worker(t, r.token(t)))
	must(t, err)
	defer second.Close()
	until(t, r.hub.served)
	must(t, second.WriteFrame([]byte("hello")))
	if frame, err := second.ReadFrame(); err != nil || string(frame) != "echo hello" {
		t.Errorf("the other link says %q, %v", frame, err)
	}
}
