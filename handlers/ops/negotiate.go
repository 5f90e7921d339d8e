package ops

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"berth/core/metrics"
)

// formatFor returns the format that a scraper would rather have. One that names none has the text
// format, which every scraper reads, as it is.
func formatFor(h http.Header) metrics.Format {
	var f metrics.Format
	var open, text float64
	each(h["Accept"], func(name string, parameters map[string]string, q float64) {
		switch version := parameters["version"]; {
		case name == "application/openmetrics-text" && (version == "" || version == "1.0.0"):
			open = max(open, q)
		case name == "text/plain" && (version == "" || version == "0.0.4"):
			text = max(text, q)
		}
	})
	f.OpenMetrics = open > 0 && open >= text
	each(h["Accept-Encoding"], func(name string, _ map[string]string, q float64) {
		if name == "gzip" && q > 0 {
			f.Gzip = true
		}
	})
	return f
}

// each calls visit for every element of a list in which each may have a weight from 0 to 1. What
// cannot be read is passed over.
func each(values []string, visit func(name string, parameters map[string]string, q float64)) {
	for element := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, err := mime.ParseMediaType(element)
		if err != nil {
			continue
		}
		q := 1.0
		if weight, given := parameters["q"]; given {
			if q, err = strconv.ParseFloat(weight, 64); err != nil || !(q >= 0 && q <= 1) {
				continue
			}
		}
		visit(name, parameters, q)
	}
}
