package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
)

// insideWorker is a real worker in this process, on a container engine that only
// remembers. It speaks to the server's real worker port.
type insideWorker struct {
	end   context.CancelFunc
	ended chan error
}

// beat is the worker's heartbeat: that of a default installation.
const beat = 30 * time.Second

func (b *bench) startInsideWorker(ctx context.Context, srv *server, engine worker.Engine) (*insideWorker, error) {
	issued, err := post[api.IssuedWorkerToken](ctx, srv.client, "/api/custom/workers/tokens", api.WorkerTokenRequest{Name: "bench"})
	if err != nil {
		return nil, err
	}
	token, err := seal.ParseToken(issued.Token)
	if err != nil {
		return nil, err
	}
	const hostname = "bench-inside"
	dir := filepath.Join(srv.site.dir, "worker")
	key, err := worker.Identity(dir)
	if err != nil {
		return nil, err
	}
	certificate, err := websocket.ClientCertificate(key, hostname)
	if err != nil {
		return nil, err
	}
	dial := websocket.DialOptions{Server: srv.site.workerURL(), Token: secrets.NewValue(token.Reveal()), Certificate: certificate,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: hostname, Version: "bench", OS: runtime.GOOS, Arch: runtime.GOARCH}}
	if pin, pinned := token.Pin(); pinned {
		dial.Pin = &pin
	}
	w := worker.New(worker.Options{
		Dial:   func(ctx context.Context) (link.Conn, wire.Enrolled, error) { return websocket.Dial(ctx, dial) },
		Engine: engine, Key: key, DataDir: dir, Hostname: hostname, Version: "bench", Heartbeat: beat,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	inside := &insideWorker{end: end, ended: make(chan error, 1)}
	go func() { inside.ended <- w.Run(life) }()
	return inside, nil
}

func (w *insideWorker) stop() error {
	w.end()
	return <-w.ended
}
