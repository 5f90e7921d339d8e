//go:build realprometheus

package watch

import (
	"fmt"
	"strings"
	"testing"

	"berth/local/stand/prometheus"
)

// TestRealPrometheusSendsTheKeyInItsHeader proves the configuration with http_headers, for discovery and for
// scrapes, and asks all that the dashboard asks.
func TestRealPrometheusSendsTheKeyInItsHeader(t *testing.T) {
	s := newSite(t)
	p := s.run(t, prometheus.Current(t), s.shipped(t, "prometheus-headers.yaml"))
	s.scraped(t, p)
	s.work(t)
	questions := s.questions(t)
	p.Until(t, "every question is answered", func() error { return answered(p, questions) })
	p.Until(t, "every rule is evaluated and none raises an alarm", func() error { return calm(p) })
	matchersExist(t, p)
}

// TestRealPrometheusMaySendTheHeaderLineInstead proves that the other configuration does for it too.
func TestRealPrometheusMaySendTheHeaderLineInstead(t *testing.T) {
	s := newSite(t)
	s.scraped(t, s.run(t, prometheus.Current(t), s.shipped(t, "prometheus.yaml")))
}

// TestRealPrometheusIsRefusedWithoutTheKey proves what a wrong header, and none, come to.
func TestRealPrometheusIsRefusedWithoutTheKey(t *testing.T) {
	s := newSite(t)
	header := "http_headers: {X-Service-Api-Key: {values: [%s]}}"
	cases := map[string]string{
		"with_a_wrong_key": fmt.Sprintf(header, s.key[:len(s.key)-1]),
		"with_two_keys":    fmt.Sprintf(header, s.key+", "+s.key),
		"with_a_bare_key":  "authorization: {credentials: " + s.key + "}",
		"without_a_key":    "",
	}
	config := "global: {scrape_interval: 1s}\nscrape_configs:\n"
	for name, block := range cases {
		config += fmt.Sprintf("  - job_name: %s\n    static_configs: [{targets: [%q]}]\n    %s\n", name, strings.TrimPrefix(s.URL, "http://"), block)
	}
	p := s.run(t, prometheus.Current(t), config)
	for name := range cases {
		p.Until(t, name, func() error { return refused(p, name, "401") })
	}
}
