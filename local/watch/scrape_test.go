package watch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/local/stand/prometheus"
)

var never time.Time // when a key expires that does not

// TestPrometheusFindsAndScrapesBerth proves the configuration that is shipped with the Prometheus of a
// distribution: what discovery names is scraped over https, with nothing but an authorization block.
func TestPrometheusFindsAndScrapesBerth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.run(t, prometheus.Distribution(t), s.shipped(t, "prometheus.yaml"))
	s.scraped(t, p)
}

// openMetrics is what Prometheus asks for first, since long ago.
const openMetrics = "application/openmetrics-text; version=1.0.0"

// scraped sees that a Prometheus found this site, scrapes it over https, and has its worker. What it asked for
// as OpenMetrics came as that, and it could read all of it: a line that it cannot read makes the target down.
func (s *site) scraped(t *testing.T, p *prometheus.Server) {
	t.Helper()
	p.Until(t, "what discovery names is scraped", func() error {
		targets, err := p.Targets()
		if err != nil || len(targets) != 1 {
			return fmt.Errorf("targets %+v, %w", targets, err)
		}
		if targets[0].ScrapeURL != s.app+"/metrics" || targets[0].Health != "up" || targets[0].LastError != "" {
			return fmt.Errorf("the target is %+v", targets[0])
		}
		return one(p, fmt.Sprintf(`berth_worker_up{job="berth", worker=%q}`, s.worker))
	})
	if got := s.typeOf("/metrics"); !strings.HasPrefix(got, openMetrics) {
		t.Errorf("a scrape was answered as %q", got)
	}
}

// one is an error unless an expression gives one sample, which is 1.
func one(p *prometheus.Server, expression string) error {
	samples, err := p.Query(expression)
	if err == nil && (len(samples) != 1 || samples[0].Value != 1) {
		err = fmt.Errorf("%s gives %+v", expression, samples)
	}
	return err
}

// TestWhoMayScrapeAsPrometheusSeesIt proves SPEC §4 and §5 with what a Prometheus of a distribution sends.
func TestWhoMayScrapeAsPrometheusSeesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	account := s.Account(access.RoleMonitoring)
	gone := s.IssueKey(account, never)
	s.RevokeKey(account, gone)
	line := func(key string) string { return `credentials: "X-Service-Api-Key: ` + key + `"` }
	viewer := s.IssueKey(s.Account(access.RoleViewer), never).Key
	alias, single := "/api/custom/metrics", "/api/custom/workers/"+string(s.worker)+"/metrics"
	cases := map[string]struct{ path, block, refused string }{
		"as_a_line":         {"/metrics", "authorization: {" + line(s.key) + "}", ""},
		"from_a_file":       {"/metrics", "authorization: {credentials_file: berth-credentials}", ""},
		"with_a_type":       {"/metrics", "authorization: {type: ApiKey, " + line(s.key) + "}", ""},
		"with_an_odd_type":  {"/metrics", "authorization: {type: X-Service-Api-Key, " + line(s.key) + "}", ""},
		"of_the_alias":      {alias, "authorization: {" + line(s.key) + "}", ""},
		"of_one_worker":     {single, "authorization: {" + line(s.key) + "}", ""},
		"without_a_key":     {"/metrics", "", "401"},
		"with_a_wrong_key":  {"/metrics", "authorization: {" + line(s.key[:len(s.key)-1]) + "}", "401"},
		"with_a_bare_key":   {"/metrics", "authorization: {credentials: " + s.key + "}", "401"},
		"with_a_basic_key":  {"/metrics", "basic_auth: {username: X-Service-Api-Key, password: " + s.key + "}", "401"},
		"with_an_old_key":   {"/metrics", "authorization: {" + line(gone.Key) + "}", "401"},
		"as_a_viewer":       {"/metrics", "authorization: {" + line(viewer) + "}", "403"},
		"as_a_viewer_alias": {alias, "authorization: {" + line(viewer) + "}", "403"},
		"as_a_viewer_of_it": {single, "authorization: {" + line(viewer) + "}", "403"},
	}
	config := "global: {scrape_interval: 1s}\nscrape_configs:\n"
	for name, c := range cases {
		config += fmt.Sprintf("  - job_name: %s\n    metrics_path: %s\n    static_configs: [{targets: [%q]}]\n    %s\n", name, c.path, strings.TrimPrefix(s.URL, "http://"), c.block)
	}
	p := s.run(t, prometheus.Distribution(t), config)
	for name, c := range cases {
		p.Until(t, name, func() error {
			if c.refused != "" {
				return refused(p, name, c.refused)
			}
			if err := one(p, fmt.Sprintf(`up{job=%q}`, name)); err != nil {
				return err
			}
			return one(p, fmt.Sprintf(`berth_worker_up{job=%q, worker=%q}`, name, s.worker))
		})
	}
}

// refused is an error unless the job's target is down because of this status.
func refused(p *prometheus.Server, job, status string) error {
	samples, err := p.Query(fmt.Sprintf("up{job=%q}", job))
	if err != nil || len(samples) != 1 || samples[0].Value != 0 {
		return fmt.Errorf("up is %+v, %w", samples, err)
	}
	targets, err := p.Targets()
	for _, target := range targets {
		if target.Labels["job"] == job && target.Health == "down" && strings.Contains(target.LastError, "HTTP status "+status) {
			return nil
		}
	}
	return fmt.Errorf("the targets are %+v, %w", targets, err)
}
