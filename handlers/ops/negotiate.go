package ops

import (
	"net/http"

	"berth/core/metrics"
	"berth/handlers/endpoint"
)

// formatFor returns the format that a scraper would rather have. One that names none has the text
// format, which every scraper reads, as it is.
func formatFor(h http.Header) metrics.Format {
	var f metrics.Format
	var open, text float64
	endpoint.Weighed(h["Accept"], func(name string, parameters map[string]string, q float64) {
		switch version := parameters["version"]; {
		case name == "application/openmetrics-text" && (version == "" || version == "1.0.0"):
			open = max(open, q)
		case name == "text/plain" && (version == "" || version == "0.0.4"):
			text = max(text, q)
		}
	})
	f.OpenMetrics = open > 0 && open >= text
	endpoint.Weighed(h["Accept-Encoding"], func(name string, _ map[string]string, q float64) {
		if name == "gzip" && q > 0 {
			f.Gzip = true
		}
	})
	return f
}
