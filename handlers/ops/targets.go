package ops

import (
	"net"
	"net/http"
	"net/url"

	"berth/handlers/endpoint"
)

// TargetGroup is one group of Prometheus's HTTP service discovery.
type TargetGroup struct {
	Targets []string          `json:"targets"` // host:port
	Labels  map[string]string `json:"labels"`
}

// Targets tells a scraper what to scrape: this server, under the address that people use.
// Its metrics hold those of every worker.
func Targets(app *url.URL) http.Handler {
	port := app.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[app.Scheme]
	}
	groups := []TargetGroup{{
		Targets: []string{net.JoinHostPort(app.Hostname(), port)},
		Labels:  map[string]string{"__scheme__": app.Scheme, "__metrics_path__": "/metrics"},
	}}
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return endpoint.JSON(w, http.StatusOK, groups)
	})
}
