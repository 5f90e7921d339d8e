package rig

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"runtime"
	"testing"
	"time"

	"berth/core"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
)

// Remote is a worker on whatever container engine a test gives it: what it shows to the server,
// and where it keeps its files.
type Remote struct {
	Hostname string
	Tags     []string
	Token    seal.Token
	Key      ed25519.PrivateKey
	Dir      string
}

// Remote makes what a new worker needs. It is not started.
func (s *Server) Remote() Remote {
	s.T.Helper()
	issued := Post[api.IssuedWorkerToken](s.Client, "/api/custom/workers/tokens", api.WorkerTokenRequest{}, http.StatusCreated)
	token, err := seal.ParseToken(issued.Token)
	if err != nil {
		s.T.Fatal(err)
	}
	r := Remote{Hostname: Name(), Token: token, Dir: s.T.TempDir()}
	if r.Key, err = worker.Identity(r.Dir); err != nil {
		s.T.Fatal(err)
	}
	return r
}

// Dial returns how the worker reaches the server at an address, host:port.
func (r Remote) Dial(t testing.TB, address string) worker.Dial {
	t.Helper()
	certificate, err := websocket.ClientCertificate(r.Key, r.Hostname)
	if err != nil {
		t.Fatal(err)
	}
	options := websocket.DialOptions{Server: "https://" + address, Token: secrets.NewValue(r.Token.Reveal()), Certificate: certificate,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: r.Hostname, Tags: r.Tags, Version: "test", OS: runtime.GOOS, Arch: runtime.GOARCH}}
	pin, pinned := r.Token.Pin()
	if !pinned {
		t.Fatal("the token carries no pin")
	}
	options.Pin = &pin
	return func(ctx context.Context) (link.Conn, wire.Enrolled, error) { return websocket.Dial(ctx, options) }
}

// Run runs the worker on an engine until the test ends.
func (r Remote) Run(t testing.TB, address string, engine worker.Engine) {
	t.Helper()
	log := &Log{}
	w := worker.New(worker.Options{Dial: r.Dial(t, address), Engine: engine, Key: r.Key, DataDir: r.Dir, Hostname: r.Hostname, Tags: r.Tags, Version: "test",
		Heartbeat: time.Second, Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error("the worker ended with", err)
		}
		if t.Failed() {
			t.Logf("the end of the worker's log:\n%s", log.Tail(60))
		}
	})
}

// Linked waits until the server shows a worker as online, or as offline, and returns its id.
func (s *Server) Linked(hostname string, want bool) (id core.WorkerID) {
	s.T.Helper()
	Until(s.T, 2*time.Minute, "the link of "+hostname, func() (bool, string) {
		all := Get[endpoint.Items[api.WorkerAnswer]](s.Client, "/api/custom/workers?limit=500")
		for _, w := range all.Items {
			if w.Hostname == hostname && w.Online == want {
				id = w.ID
			}
		}
		return id != "", quoted(all)
	})
	return id
}
