// Command hub runs hub and worker port without web UI and API: for handlers that run elsewhere on the
// same PostgreSQL database. It is configured as local is; PORT is not opened.
//
// Exit codes are those of local.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"berth/core/config"
	"berth/hub/adapter/process"
	"berth/local/allinone"
)

// version is set when the program is built.
var version = "dev"

const about = `usage: hub

Runs the hub: workers' links, polling and deployments, for handlers that run elsewhere on the same
PostgreSQL database. It is configured by environment variables alone; the README lists them.
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	if code, done := config.NoArguments(args, about, out, errs); done {
		return code
	}
	server, problems, warnings := config.LoadHub(os.LookupEnv, os.Environ())
	log, fine := config.Begin(errs, server.LogLevel, server.LogFormat, problems, warnings)
	if !fine {
		return config.ExitConfig
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	process.Spare(ctx)
	err := allinone.RunHub(ctx, allinone.Config{Server: server, Version: version, Log: log})
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
	}
	return allinone.ExitCode(err)
}
