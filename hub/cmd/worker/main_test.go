package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/config"
	"berth/core/seal"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
	"berth/hub/workerrun"
)

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Setenv("SERVER_URL", "")
	t.Setenv("WORKER_TOKEN", "berth_wt_canary")
	t.Setenv("WORKER_TAGS", "with space")
	var errs bytes.Buffer
	if code := run(nil, &errs, &errs); code != config.ExitConfig {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"SERVER_URL", "WORKER_TOKEN", "WORKER_TAGS"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%s is not named in\n%s", want, errs.String())
		}
	}
	if strings.Contains(errs.String(), "canary") {
		t.Errorf("a value is shown:\n%s", errs.String())
	}
}

func TestChildrenInheritNoToken(t *testing.T) {
	before := os.Environ()
	t.Cleanup(func() { keepEnvironment(before) })
	t.Setenv("WORKER_TOKEN", "berth_wt_canary")
	keepEnvironment(worker.Environment(os.Environ()))
	if token, set := os.LookupEnv("WORKER_TOKEN"); set {
		t.Errorf("the token is still there: %s", token)
	}
	if os.Getenv("PATH") == "" {
		t.Error("PATH is gone")
	}
}

// Without a container engine the worker says so at once, and connects all the same, over
// the real TLS port.
func TestWorkerWithoutAContainerEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///no/such/socket")
	port := openPort(t)
	dir := t.TempDir()
	settings := config.Worker{
		ServerURL: port.URL, WorkerToken: seal.NewWorkerToken(core.NewID(core.PrefixWorkerToken, time.Now()), port.pin),
		Hostname: "edge-1", HeartbeatInterval: time.Second, WorkerStackDir: filepath.Join(dir, "stacks"), WorkerDataDir: filepath.Join(dir, "data"),
	}
	var out bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- workerrun.Run(ctx, settings, version, slog.New(slog.NewTextHandler(&out, nil))) }()

	hello := await(t, port.got, func(m wire.Hello) bool { return true })
	if hello.Hostname != "edge-1" || hello.Version != version {
		t.Errorf("hello %+v", hello)
	}
	snapshot := await(t, port.got, func(m wire.Snapshot) bool { return true })
	if !strings.Contains(snapshot.Text, "\nberth_worker_engine_up 0\n") {
		t.Errorf("the snapshot does not say that the engine is away:\n%s", snapshot.Text)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	await(t, port.got, func(m wire.Bye) bool { return true })
	if text := out.String(); !strings.Contains(text, "container engine does not answer") || strings.Contains(text, settings.WorkerToken.Reveal()) {
		t.Errorf("log:\n%s", text)
	}
}

// port is a worker port whose hub only listens.
type port struct {
	*httptest.Server
	pin seal.Pin
	got chan any
}

func openPort(t *testing.T) *port {
	t.Helper()
	certificate, key, err := websocket.SelfSigned([]string{"127.0.0.1"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	p := &port{pin: websocket.Pin(pair.Leaf), got: make(chan any, 1000)}
	var links sync.WaitGroup
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.EnrolPath, func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(wire.Enrolled{WorkerID: core.WorkerID(core.NewID(core.PrefixWorker, time.Now())), HeartbeatSeconds: 1, Time: time.Now()})
	})
	mux.HandleFunc(wire.LinkPath, func(w http.ResponseWriter, r *http.Request) {
		links.Add(1)
		defer links.Done()
		if conn := websocket.Upgrade(w, r); conn != nil {
			defer conn.Close()
			p.serve(conn)
		}
	})
	p.Server = httptest.NewUnstartedServer(mux)
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.TLS = websocket.ServerConfig(pair)
	p.StartTLS()
	t.Cleanup(func() {
		p.Close()
		links.Wait()
	})
	return p
}

func (p *port) serve(conn link.Conn) {
	l := link.New(conn, link.Options{Side: link.Hub})
	l.Run(context.Background(), func(ctx context.Context, msg any) error {
		p.got <- msg
		switch m := msg.(type) {
		case wire.Hello:
			return l.Send(ctx, wire.Welcome{Epoch: 1, HeartbeatSeconds: 1, Version: "hub", Settle: []wire.Instruction{}})
		case wire.Heartbeat:
			return l.Send(ctx, wire.HeartbeatAck{Number: m.Number})
		}
		return nil
	})
}

func await[T any](t *testing.T, got <-chan any, ok func(T) bool) T {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for {
		select {
		case msg := <-got:
			if m, is := msg.(T); is && ok(m) {
				return m
			}
		case <-limit.C:
			var none T
			t.Fatalf("no %T came", none)
			return none
		}
	}
}
