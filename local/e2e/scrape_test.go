package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/local/e2e/rig"
)

// TestMetrics proves who may scrape, and that Prometheus reads what is served for 0, 1 and
// 3 workers.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	scraper := s.Client.As(s.IssueKey(s.Account(access.RoleMonitoring), time.Time{}).Key)
	body := metrics(t, scraper, "/metrics")
	if strings.Contains(body, "berth_worker_up{") {
		t.Error("without workers there is one")
	}
	first := s.Worker("edge")
	stack := s.Repository(one(compose(box(t, "web")))).On(first.ID, "app")
	stack.Deployed()
	rig.Until(t, rig.Soon, "metrics of the first worker", func() (bool, string) {
		body := metrics(t, scraper, "/metrics")
		return strings.Contains(body, string(first.ID)) && strings.Contains(body, first.Hostname()), body
	})
	second, third := s.Worker(), s.Worker()
	rig.Until(t, rig.Soon, "metrics of all workers", func() (bool, string) {
		body := metrics(t, scraper, "/metrics")
		return strings.Contains(body, string(second.ID)) && strings.Contains(body, string(third.ID)), body
	})
	if body := metrics(t, scraper, "/api/custom/metrics"); !strings.Contains(body, string(second.ID)) {
		t.Error("/api/custom/metrics lacks a worker")
	}
	single := metrics(t, scraper, "/api/custom/workers/"+string(second.ID)+"/metrics")
	if strings.Contains(single, string(first.ID)) || strings.Contains(single, string(third.ID)) || !strings.Contains(single, "berth_") {
		t.Errorf("the metrics of one worker are\n%s", single)
	}
	if answer := scraper.Ask(http.MethodGet, "/api/custom/workers/wrk_0000000000000000000000/metrics", nil); answer.Status != http.StatusNotFound {
		t.Errorf("the metrics of no worker: %d", answer.Status)
	}
	whoMayScrape(t, s, string(first.ID))
}

// whoMayScrape walks the roles as SPEC §5 words them: 401 without a valid key, 403 below
// monitoring.
func whoMayScrape(t *testing.T, s *rig.Server, worker string) {
	t.Helper()
	roles := map[access.Role]int{access.RoleViewer: http.StatusForbidden, access.RoleMonitoring: http.StatusOK, access.RoleOperator: http.StatusOK, access.RoleAdmin: http.StatusOK}
	for _, path := range []string{"/metrics", "/api/custom/metrics", "/api/custom/workers/" + worker + "/metrics"} {
		for role, want := range roles {
			account := s.Account(role)
			key := s.IssueKey(account, time.Time{})
			if got := s.Client.As(key.Key).Ask(http.MethodGet, path, nil).Status; got != want {
				t.Errorf("%s as %s: %d, want %d", path, role, got, want)
			}
			s.RevokeKey(account, key)
			if got := s.Client.As(key.Key).Ask(http.MethodGet, path, nil).Status; got != http.StatusUnauthorized {
				t.Errorf("%s with a revoked key of %s: %d", path, role, got)
			}
		}
		for sentence, key := range map[string]string{"no key": "", "nonsense": "berth_sk_nonsense"} {
			if got := s.Client.As(key).Ask(http.MethodGet, path, nil).Status; got != http.StatusUnauthorized {
				t.Errorf("%s with %s: %d", path, sentence, got)
			}
		}
	}
}

// metrics scrapes a path and has promtool judge the answer.
func metrics(t *testing.T, c rig.Client, path string) string {
	t.Helper()
	answer := c.For(t).Ask(http.MethodGet, path, nil)
	if answer.Status != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Header.Get("Content-Type"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	check := exec.CommandContext(ctx, "promtool", "check", "metrics")
	check.Stdin = bytes.NewReader(answer.Body)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool on %s: %v\n%s", path, err, out)
	}
	return string(answer.Body)
}
