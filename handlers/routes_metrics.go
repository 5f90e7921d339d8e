package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/core/metrics"
	"berth/handlers/guard"
	"berth/handlers/ops"
)

// MetricsDeps is what scrapers read.
type MetricsDeps struct {
	Source metrics.Source // *metrics.Board where the hub runs in this process
}

// metricsRoutes are read with an API key and nothing else: a scraper has no session, and
// a person's session must not be what a scraper's configuration depends on.
func metricsRoutes(d Deps) []Route {
	scrape := func(pattern string, handler http.Handler, op Operation) Route {
		op.Tag, op.Status = "metrics", http.StatusOK
		if op.Response == nil {
			op.ContentType = "text/plain, application/openmetrics-text"
		}
		return Route{Method: http.MethodGet, Pattern: pattern, Capability: access.Metrics, Surface: guard.Scrape, Handler: handler, Operation: op}
	}
	all := ops.Metrics(d.Metrics.Source)
	return []Route{
		scrape("/metrics", all, Operation{Summary: "Metrics of the server and of every worker, in the Prometheus text format, or in OpenMetrics when Accept would rather have that"}),
		scrape("/api/custom/metrics", all, Operation{Summary: "The same as /metrics"}),
		scrape("/api/custom/metrics/targets", ops.Targets(d.Guard.AppURL), Operation{Summary: "What to scrape, for Prometheus's HTTP service discovery", Response: []ops.TargetGroup{}}),
		scrape("/api/custom/workers/{id}/metrics", ops.WorkerMetrics(d.Metrics.Source), Operation{Summary: "Metrics of one worker, in the same formats"}),
	}
}
