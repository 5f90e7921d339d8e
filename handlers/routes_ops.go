package handlers

import (
	"net/http"

	"berth/core/access"
	"berth/handlers/guard"
	"berth/handlers/ops"
)

// OpsDeps is what health and version need.
type OpsDeps struct {
	Store   ops.Pinger
	Version string // of this program
}

func opsRoutes(d Deps) []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: "/healthz", Capability: access.Public, Surface: guard.Probe, Handler: ops.Health(),
			Operation: Operation{Summary: "Whether the process answers", Tag: "health", Response: ops.Status{}, Status: http.StatusOK}},
		{Method: http.MethodGet, Pattern: "/readyz", Capability: access.Public, Surface: guard.Probe, Handler: ops.Ready(d.Ops.Store),
			Operation: Operation{Summary: "Whether requests can be served", Tag: "health", Response: ops.Status{}, Status: http.StatusOK, Problems: []int{http.StatusServiceUnavailable}}},
		{Method: http.MethodGet, Pattern: "/version", Capability: access.Public, Surface: guard.Probe, Handler: ops.Version(d.Ops.Version),
			Operation: Operation{Summary: "The version of this server", Tag: "health", Response: ops.VersionAnswer{}, Status: http.StatusOK}},
	}
}
