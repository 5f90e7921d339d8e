// Command local is Berth on one machine: web UI, REST API, metrics, hub and worker port
// in one process; with LOCAL_WORKER=true a worker too.
//
//	local                 run the server; configured by environment variables
//	local -demo           the same, and add the demo repository with its two stacks
//	local copy-database   copy the embedded database into the empty PostgreSQL database of DATABASE_URL
//	local env FILE        write FILE with fresh keys, unless it exists
//	local variables       print the tables of configuration variables as Markdown
//
// Exit codes: 0 ended when asked to, 78 refused to start because of its configuration, the port or the
// database, 65 the database is damaged, 74 the database could not be written, 1 any other failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"berth/core/config"
	"berth/local/allinone"
	"berth/local/demo"
)

// version is set when the program is built.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	flags.SetOutput(errs)
	withDemo := flags.Bool("demo", false, "add the demo repository with its two stacks")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	switch flags.Arg(0) {
	case "":
		return serve(*withDemo, errs)
	case "copy-database":
		return copyDatabase(out, errs)
	case "env":
		return writeEnv(flags.Arg(1), out, errs)
	case "variables":
		fmt.Fprintf(out, "### Server (`local`, `hub`)\n\n%s\n### Worker (`worker`)\n\n%s\n### Function (`function`)\n\n%s",
			config.Table(config.Server{}), config.Table(config.Worker{}), config.Table(config.Function{}))
		return 0
	}
	fmt.Fprintf(errs, "local: there is no command %q; run local -h\n", flags.Arg(0))
	return 2
}

// copyDatabase moves an installation to PostgreSQL.
func copyDatabase(out, errs io.Writer) int {
	server, problems, _ := config.LoadServer(os.LookupEnv, os.Environ())
	if len(problems) > 0 {
		fmt.Fprint(errs, config.Explain(problems))
		return config.ExitConfig
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := allinone.CopyDatabase(ctx, allinone.Config{Server: server, Version: version, Log: logger(errs, server)}, out)
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
	}
	return allinone.ExitCode(err)
}

// serve runs the server until it is told to stop.
func serve(withDemo bool, errs io.Writer) int {
	server, problems, warnings := config.LoadServer(os.LookupEnv, os.Environ())
	if len(problems) > 0 {
		fmt.Fprint(errs, config.Explain(problems))
		return config.ExitConfig
	}
	log := logger(errs, server)
	for _, w := range warnings {
		log.Warn(w.Reason, "variable", w.Name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cfg := allinone.Config{Server: server, Version: version, Log: log,
		WorkerDataDir: filepath.Join(server.DataDir, "worker"), WorkerStackDir: filepath.Join(server.DataDir, "worker", "stacks")}
	if withDemo {
		cfg.Beside = func(ctx context.Context, d allinone.Desks) error {
			return demo.Run(ctx, demo.Options{Dir: filepath.Join(server.DataDir, "demo"), Log: log,
				Desks: demo.Desks{Repositories: d.Repositories, Stacks: d.Stacks, Variables: d.Variables, Fleet: d.Fleet, Store: d.Store}})
		}
	}
	err := allinone.Run(ctx, cfg)
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
	}
	return allinone.ExitCode(err)
}

func logger(w io.Writer, server config.Server) *slog.Logger {
	options := &slog.HandlerOptions{Level: server.LogLevel}
	if server.LogFormat == config.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
