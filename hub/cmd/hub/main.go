// Command hub runs hub and worker port without web UI and API: for handlers that run
// elsewhere on the same store. It is configured as local is; PORT is not opened.
//
// Exit codes: 0 ended when asked to, 78 refused to start because of its configuration, the port or the
// database, 65 the database is damaged, 74 the database could not be written, 1 any other failure.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"berth/core/config"
	"berth/local/allinone"
)

// version is set when the program is built.
var version = "dev"

func main() {
	os.Exit(run(os.Stderr))
}

func run(errs io.Writer) int {
	server, problems, warnings := config.LoadServer(os.LookupEnv, os.Environ())
	if len(problems) > 0 {
		fmt.Fprint(errs, config.Explain(problems))
		return config.ExitConfig
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: server.LogLevel}))
	if server.LogFormat == config.LogJSON {
		log = slog.New(slog.NewJSONHandler(errs, &slog.HandlerOptions{Level: server.LogLevel}))
	}
	for _, w := range warnings {
		log.Warn(w.Reason, "variable", w.Name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := allinone.RunHub(ctx, allinone.Config{Server: server, Version: version, Log: log})
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
	}
	return allinone.ExitCode(err)
}
