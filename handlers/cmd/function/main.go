// Command function is the handlers on a function host: AWS Lambda behind API Gateway, an
// Application Load Balancer or a function URL. It holds nothing between two requests but
// connections: what is asked is written to the store, and hubs, which run elsewhere on the same
// PostgreSQL database, do it.
//
// Nothing is opened before the first request: see opening.go. Exit codes: 78 refused to start
// because of its configuration, 1 the host ended it.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	"berth/core/config"
	"berth/core/fault"
	"berth/handlers/endpoint"
	"berth/handlers/ui"
	"berth/hub/adapter/lambda"
	"berth/hub/adapter/postgres"
)

// version is set when the program is built.
var version = "dev"

// hostVariable is set by the host: where its events are fetched.
const hostVariable = "AWS_LAMBDA_RUNTIME_API"

func main() {
	os.Exit(run(os.Stderr))
}

func run(errs io.Writer) int {
	cfg, problems, warnings := config.LoadFunction(os.LookupEnv, os.Environ())
	log, fine := config.Begin(errs, cfg.LogLevel, cfg.LogFormat, problems, warnings)
	if !fine {
		return config.ExitConfig
	}
	if os.Getenv(hostVariable) == "" {
		fmt.Fprintf(errs, "berth: function runs on a function host, which sets %s. On a machine of your own, run local, or hub.\n", hostVariable)
		return config.ExitConfig
	}
	if err := postgres.Check(cfg.DatabaseURL.Reveal()); err != nil {
		fmt.Fprintln(errs, "berth:", fault.PublicOf(err))
		return config.ExitConfig
	}
	host, err := onHost(cfg, log)
	if err != nil {
		fmt.Fprintln(errs, "berth:", err)
		return config.ExitConfig
	}
	host.Run()
	return 1
}

// onHost joins the host and the handlers, which are opened with the first request.
func onHost(cfg config.Function, log *slog.Logger) (*lambda.Handler, error) {
	refusal := &endpoint.Reporter{Log: log, Page: ui.ErrorPage}
	handlers := &opening{refuse: refusal.Refuse, open: func(ctx context.Context) (http.Handler, error) { return open(ctx, cfg, log) }}
	return lambda.New(lambda.Options{Form: cfg.Event, BasePath: cfg.BasePath, Handler: handlers, Fail: refusal.Refuse, WithRequestID: endpoint.WithRequestID, Log: log})
}
