// Command folderworker is a worker whose container engine is the folder ENGINE_DIR. All else of it
// is the real worker's: journal, records, link, order of steps. It is for the tests of
// local/kill alone, and comes back to a server that was killed without the worker's pauses. With SPEAKS it says that it speaks
// a protocol of that number and is release 9.0.0.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"berth/core/config"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "folderworker:", err)
		os.Exit(1)
	}
}

func run() error {
	settings, problems, _ := config.LoadWorker(os.LookupEnv, os.Environ(), config.System{})
	if len(problems) > 0 {
		return errors.New(config.Explain(problems))
	}
	engine := folder{os.Getenv("ENGINE_DIR")}
	if err := os.MkdirAll(engine.dir, 0o700); err != nil {
		return err
	}
	key, err := worker.Identity(settings.WorkerDataDir)
	if err != nil {
		return err
	}
	certificate, err := websocket.ClientCertificate(key, settings.Hostname)
	if err != nil {
		return err
	}
	options := websocket.DialOptions{Server: settings.ServerURL, Token: secrets.NewValue(settings.WorkerToken.Reveal()), Certificate: certificate,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: settings.Hostname, Version: "kill", OS: runtime.GOOS, Arch: runtime.GOARCH}}
	if number, err := strconv.Atoi(os.Getenv("SPEAKS")); err == nil { // as a worker of another release
		options.Enrol.Protocol, options.Enrol.Version = number, "9.0.0"
	}
	if pin, pinned := settings.WorkerToken.Pin(); pinned {
		options.Pin = &pin
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return worker.New(worker.Options{
		Dial:   func(ctx context.Context) (link.Conn, wire.Enrolled, error) { return dial(ctx, options) },
		Engine: engine, Key: key, DataDir: settings.WorkerDataDir, Hostname: settings.Hostname, Version: "kill", Heartbeat: settings.HeartbeatInterval,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Now: time.Now,
	}).Run(ctx)
}

// dial tries again at once while nothing listens.
func dial(ctx context.Context, options websocket.DialOptions) (link.Conn, wire.Enrolled, error) {
	for {
		conn, enrolled, err := websocket.Dial(ctx, options)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return conn, enrolled, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, wire.Enrolled{}, ctx.Err()
		}
	}
}
