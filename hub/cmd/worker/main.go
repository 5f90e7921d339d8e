// Command worker runs on a host, dials the server's worker port, and deploys on that host what
// it is given. It is configured by environment variables; the README lists them.
//
// Exit codes: 0 ended when asked to, 78 refused to start because of its configuration,
// 1 any other failure.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"berth/core/config"
	"berth/hub/worker"
	"berth/hub/workerrun"
)

// version is set when the program is built.
var version = "dev"

func main() {
	os.Exit(run(os.Stderr))
}

func run(errs io.Writer) int {
	hostname, _ := os.Hostname() // unknown is a problem only where HOSTNAME does not name it either
	settings, problems, warnings := config.LoadWorker(os.LookupEnv, os.Environ(), config.System{Hostname: hostname, TempDir: os.TempDir()})
	if len(problems) > 0 {
		fmt.Fprint(errs, config.Explain(problems))
		return config.ExitConfig
	}
	keepEnvironment(worker.Environment(os.Environ()))
	log := logger(errs, settings)
	for _, w := range warnings {
		log.Warn(w.Reason, "variable", w.Name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := workerrun.Run(ctx, settings, version, log); err != nil {
		fmt.Fprintln(errs, "berth worker:", err)
		return 1
	}
	return 0
}

// keepEnvironment leaves the process with nothing else in its environment, so that no
// child can inherit the worker's token.
func keepEnvironment(environ []string) {
	os.Clearenv()
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		os.Setenv(name, value) // cannot fail: it was in the environment before
	}
}

func logger(w io.Writer, settings config.Worker) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.LogLevel}
	if settings.LogFormat == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
