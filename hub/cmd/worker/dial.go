package main

import (
	"context"
	"crypto/ed25519"
	"runtime"

	"berth/core/config"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
	"berth/hub/worker"
)

// dialer returns how this worker reaches its server: the pin in the token proves the
// server, the key in the client certificate proves the worker.
func dialer(settings config.Worker, key ed25519.PrivateKey) (worker.Dial, error) {
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
