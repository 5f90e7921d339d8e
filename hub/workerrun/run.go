// Package workerrun composes a worker: the engine, the dialler and the worker's own key.
// The command worker runs it, and so does local for the worker inside.
//
// It chooses adapters and decides nothing. Start with Run.
package workerrun

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"

	"berth/core/config"
	"berth/core/policy"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/adapter/compose/engine"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
)

// Run runs a worker until ctx ends. An error means that it could not begin: its
// directories, its key or the engine's address cannot be used.
func Run(ctx context.Context, settings config.Worker, version string, log *slog.Logger) error {
	key, err := worker.Identity(settings.WorkerDataDir)
	if err != nil {
		return err
	}
	dial, err := dialer(settings, version, key)
	if err != nil {
		return err
	}
	allowed, err := policy.Of(settings.WorkerAllow)
	if err != nil {
		return fmt.Errorf("WORKER_ALLOW %w", err)
	}
	limits, err := readLimits(settings.WorkerPolicyFile)
	if err != nil {
		return fmt.Errorf("WORKER_POLICY_FILE: %w; nothing runs here until it is right", err)
	}
	docker, err := engine.Open(engine.Options{Policy: allowed, Limits: limits, Own: []string{settings.WorkerDataDir, settings.WorkerStackDir}})
	if err != nil {
		return err
	}
	log.Info("worker starts", "version", version, "hostname", settings.Hostname, "server", settings.ServerURL, "data_dir", settings.WorkerDataDir)
	err = worker.New(worker.Options{
		Dial: dial, Engine: docker, Key: key, DataDir: settings.WorkerDataDir, StackDir: settings.WorkerStackDir,
		Hostname: settings.Hostname, Tags: settings.WorkerTags, Allow: settings.WorkerAllow, Limits: limits, Version: version, Heartbeat: settings.HeartbeatInterval,
		Log: log, Now: time.Now,
	}).Run(ctx)
	return errors.Join(err, docker.Close())
}

// readLimits reads the policy file of the host; nil when there is none.
func readLimits(file string) (*policy.Rules, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	limits, err := policy.ReadRules(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return &limits, nil
}

// dialer returns how this worker reaches its server: the pin in the token proves the
// server, the key in the client certificate proves the worker.
func dialer(settings config.Worker, version string, key ed25519.PrivateKey) (worker.Dial, error) {
	certificate, err := websocket.ClientCertificate(key, settings.Hostname)
	if err != nil {
		return nil, err
	}
	options := websocket.DialOptions{
		Server: settings.ServerURL, Token: secrets.NewValue(settings.WorkerToken.Reveal()), SkipVerify: settings.SkipVerify, Certificate: certificate,
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: settings.Hostname, Tags: settings.WorkerTags,
			Version: version, OS: runtime.GOOS, Arch: runtime.GOARCH},
	}
	if pin, pinned := settings.WorkerToken.Pin(); pinned {
		options.Pin = &pin
	}
	return func(ctx context.Context) (link.Conn, wire.Enrolled, error) { return websocket.Dial(ctx, options) }, nil
}
