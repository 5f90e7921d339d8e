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
	stack := s.Repository(one(compose(box(t, "web", "environment: [PASSWORD]")))).Manual(first.ID, "app")
	stack.SetSecret("PASSWORD", "a stack's password")
	stack.Synced()
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
	whatTheServerMeasures(t, scraper, stack)
	if answer := scraper.Ask(http.MethodGet, "/api/custom/workers/wrk_0000000000000000000000/metrics", nil); answer.Status != http.StatusNotFound {
		t.Errorf("the metrics of no worker: %d", answer.Status)
	}
	whoMayScrape(t, s, string(first.ID))
}

// whatTheServerMeasures sees that what was deployed has moved what the server counts.
func whatTheServerMeasures(t *testing.T, scraper rig.Client, stack *rig.Stack) {
	t.Helper()
	scraper.As("berth_sk_nonsense").Ask(http.MethodGet, "/metrics", nil)
	scraper.As("").Ask(http.MethodPost, "/api/custom/login", map[string]string{"email": "nobody@example.org", "password": "not the password"})
	series := []string{
		`berth_authentication_failures_total{kind="api_key"}`, `berth_authentication_failures_total{kind="password"}`, `berth_commit_to_healthy_seconds_count`, `berth_deployments_total{trigger="`, `berth_deployment_duration_seconds_count{result="succeeded"}`,
		`berth_deployment_phase_duration_seconds_count{phase="verify"}`, `berth_fetches_total{result="succeeded"}`, `berth_fetch_duration_seconds_count`,
		`berth_http_requests_total{surface="api",code="2xx"}`, `berth_http_request_duration_seconds_count{surface="scrape"}`, `berth_link_round_trip_seconds_count`,
		`berth_metrics_snapshots_total{result="whole"}`, `berth_secret_resolutions_total{provider="internal",result="succeeded"}`, `berth_secret_resolution_duration_seconds_count{provider="internal"}`,
		`berth_stack_info{stack="` + string(stack.ID) + `"`, `berth_stack_status{stack="` + string(stack.ID) + `"`, `berth_stack_healthy{stack="` + string(stack.ID) + `"`,
		`berth_stack_last_success_timestamp_seconds{stack="` + string(stack.ID) + `"`, `berth_stacks{status="active"}`,
		`berth_store_connections{state="idle"}`, `berth_store_size_bytes`, `berth_store_transactions_total{kind="read",result="committed"}`, `berth_store_transactions_total{kind="write",result="committed"}`,
		`berth_store_transaction_duration_seconds_count{kind="write"}`, `berth_worker_connections_total{result="accepted"}`,
		`go_info{`, `go_memstats_alloc_bytes`, `process_open_fds`, `process_virtual_memory_bytes`,
	}
	rig.Until(t, rig.Soon, "all that the server measures", func() (bool, string) {
		body := metrics(t, scraper, "/metrics")
		for _, s := range series {
			at := strings.Index(body, "\n"+s)
			if at < 0 {
				return false, s + " is missing in\n" + body
			}
			line, _, _ := strings.Cut(body[at+1:], "\n")
			if strings.HasSuffix(line, " 0") {
				return false, line
			}
		}
		return true, ""
	})
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
