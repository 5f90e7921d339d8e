package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"berth/handlers/api"
	"berth/local/stand/freeport"
	"berth/local/stand/pgserver"
)

// rest is how long a process is left alone before it is measured.
const rest = 20 * time.Second

// measureMemory measures the programs at rest, their sizes and how fast the server is there.
func measureMemory(ctx context.Context, b *bench) ([]figure, error) {
	figures, err := b.sizes(ctx)
	if err != nil {
		return nil, err
	}
	starts, err := b.starts(ctx)
	if err != nil {
		return nil, err
	}
	hub, err := b.hubAtRest(ctx)
	if err != nil {
		return nil, err
	}
	return append(append(figures, starts...), figure{name: "hub alone, at rest", result: hub.String()}), nil
}

func (b *bench) sizes(ctx context.Context) ([]figure, error) {
	var figures []figure
	for _, pkg := range []string{"local", "hub/cmd/hub", "hub/cmd/worker"} {
		path, err := b.program(ctx, pkg)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{name: "program " + filepath.Base(pkg) + ", stripped", result: megabytes(info.Size())})
	}
	return figures, nil
}

// starts measures how long local takes to be ready; its last process is then measured
// at rest, and so is a worker beside it.
func (b *bench) starts(ctx context.Context) (figures []figure, err error) {
	s, err := b.newSite("memory")
	if err != nil {
		return nil, err
	}
	srv, first, err := b.startLocal(ctx, s, "LOCAL_WORKER=true")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := errors.Join(srv.setUp(ctx), srv.workersOnline(ctx, 1)); err != nil {
		return nil, err
	}
	var took []time.Duration
	for range b.runs {
		if err := srv.stop(); err != nil {
			return nil, err
		}
		key := srv.client.Key
		again, ready, err := b.startLocal(ctx, s, "LOCAL_WORKER=true")
		if err != nil {
			return nil, err
		}
		srv, took = again, append(took, ready)
		srv.client.Key = key
	}
	figures = []figure{
		{name: "local: start to ready, new database", result: ms(first)},
		{name: "local: start to ready, existing database", result: spread(took)},
	}
	more, err := b.atRest(ctx, srv)
	return append(figures, more...), err
}

func (b *bench) atRest(ctx context.Context, srv *server) ([]figure, error) {
	if err := srv.workersOnline(ctx, 1); err != nil {
		return nil, err
	}
	if err := pause(ctx, rest); err != nil {
		return nil, err
	}
	local, err := memoryOf(srv.pid())
	if err != nil {
		return nil, err
	}
	worker, err := b.workerAtRest(ctx, srv)
	return []figure{
		{name: "local with a worker inside, at rest", result: local.String()},
		{name: "worker alone, at rest", result: worker.String()},
	}, err
}

// workerAtRest starts the program worker on a server and measures it.
func (b *bench) workerAtRest(ctx context.Context, srv *server) (m memory, err error) {
	program, err := b.program(ctx, "hub/cmd/worker")
	if err != nil {
		return m, err
	}
	issued, err := post[api.IssuedWorkerToken](ctx, srv.client, "/api/custom/workers/tokens", api.WorkerTokenRequest{Name: "bench"})
	if err != nil {
		return m, err
	}
	dir := filepath.Join(b.dir, "worker")
	process, err := b.start(program, "SERVER_URL="+srv.site.workerURL(), "WORKER_TOKEN="+issued.Token,
		"WORKER_DATA_DIR="+dir, "WORKER_STACK_DIR="+filepath.Join(dir, "stacks"))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, process.stop()) }()
	if err := srv.workersOnline(ctx, 2); err != nil {
		return m, fmt.Errorf("%w; %w", err, process.alive())
	}
	if err := pause(ctx, rest); err != nil {
		return m, err
	}
	return memoryOf(process.pid())
}

// hubAtRest starts the program hub on a PostgreSQL database, which it needs, and measures it.
func (b *bench) hubAtRest(ctx context.Context) (m memory, err error) {
	program, err := b.program(ctx, "hub/cmd/hub")
	if err != nil {
		return m, err
	}
	dir, err := os.MkdirTemp("", "bench-postgres-") // the server runs as another user, who may not enter the bench's
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	database, err := pgserver.Open(dir, pgserver.Options{})
	if err != nil {
		return m, err
	}
	defer database.Kill()
	if err := database.Exec("postgres", "CREATE DATABASE bench TEMPLATE template0"); err != nil {
		return m, err
	}
	s, err := b.newSite("hub")
	if err != nil {
		return m, err
	}
	internal, err := freeport.Take()
	if err != nil {
		return m, err
	}
	process, err := b.start(program, append(s.environment(), "DATABASE_URL="+database.TCP("bench"), "HUB_LISTEN=127.0.0.1:"+internal)...)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, process.stop()) }()
	if err := process.opens(ctx, s.tlsPort); err != nil {
		return m, err
	}
	if err := pause(ctx, rest); err != nil {
		return m, err
	}
	return memoryOf(process.pid())
}
