// Command worker runs on a host, dials the server's worker port, and deploys on that host what
// it is given. It is configured by environment variables; the README lists them.
//
// Exit codes: 0 ended when asked to, 78 refused to start because of its configuration,
// 64 called with arguments, 1 any other failure.
package main

import (
	"context"
	"fmt"
	"io"
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

const about = `usage: worker

Dials the server's worker port and deploys on this host what it is given. It is configured by environment
variables alone; the README lists them.
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	if code, done := config.NoArguments(args, about, out, errs); done {
		return code
	}
	hostname, _ := os.Hostname() // unknown is a problem only where HOSTNAME does not name it either
	settings, problems, warnings := config.LoadWorker(os.LookupEnv, os.Environ(), config.System{Hostname: hostname, TempDir: os.TempDir()})
	log, fine := config.Begin(errs, settings.LogLevel, settings.LogFormat, problems, warnings)
	if !fine {
		return config.ExitConfig
	}
	keepEnvironment(worker.Environment(os.Environ()))
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
