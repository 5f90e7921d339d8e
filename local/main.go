// Command local is Berth on one machine: web UI, REST API, metrics, hub and worker port
// in one process; with LOCAL_WORKER=true a worker too. "local -h" lists its commands; see command.go.
//
// Exit codes: 0 ended when asked to, 64 called in a way that means nothing, 78 refused to start because of its
// configuration, the port or the database, 75 the database server is away, 65 the database is damaged, 74 the
// database could not be written, 1 any other failure.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"berth/core/config"
	"berth/hub/adapter/process"
	"berth/local/allinone"
	"berth/local/demo"
)

// version is set when the program is built.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// copyDatabase moves an installation to PostgreSQL.
func copyDatabase(out, errs io.Writer) int {
	server, problems, _ := config.LoadServer(os.LookupEnv, os.Environ())
	log, fine := config.Begin(errs, server.LogLevel, server.LogFormat, problems, nil)
	if !fine {
		return config.ExitConfig
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return ended(errs, allinone.CopyDatabase(ctx, allinone.Config{Server: server, Version: version, Log: log}, out))
}

// serve runs the server until it is told to stop.
func serve(withDemo bool, errs io.Writer) int {
	server, problems, warnings := config.LoadServer(os.LookupEnv, os.Environ())
	log, fine := config.Begin(errs, server.LogLevel, server.LogFormat, problems, warnings)
	if !fine {
		return config.ExitConfig
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cfg := configOf(server, log)
	if withDemo {
		cfg.Beside = func(ctx context.Context, d allinone.Desks) error {
			return demo.Run(ctx, demo.Options{Dir: filepath.Join(server.DataDir, "demo"), Log: log,
				Desks: demo.Desks{Repositories: d.Repositories, Stacks: d.Stacks, Variables: d.Variables, Fleet: d.Fleet, Store: d.Store}})
		}
	}
	process.Spare(ctx)
	return ended(errs, allinone.Run(ctx, cfg))
}

// configOf is what the server is run with. The worker inside has the folders that a worker of its own would have.
func configOf(server config.Server, log *slog.Logger) allinone.Config {
	return allinone.Config{Server: server, Version: version, Log: log, WorkerDataDir: server.WorkerDataDir, WorkerStackDir: server.WorkerStackDir}
}

// ended says why the process ends, unless it was asked to, and returns its exit code.
func ended(errs io.Writer, err error) int {
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
	}
	return allinone.ExitCode(err)
}
