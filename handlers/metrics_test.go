package handlers_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/metrics"
	"berth/handlers/ops"
)

const metricsType = "text/plain; version=0.0.4; charset=utf-8"

func TestMetricsAreScraped(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleMonitoring), 0)
	worker, away := s.worker("web-1"), s.worker("web-2")
	s.board().Workers.Connected(worker.ID, "web-1")
	s.board().Workers.Put(worker.ID, metrics.Snapshot{Text: "# HELP jobs Jobs.\n# TYPE jobs gauge\njobs 4\n"})
	s.board().Workers.Know(away.ID, "web-2")
	up := `berth_worker_up{worker="` + string(worker.ID) + `",hostname="web-1"} 1`
	for path, want := range map[string][]string{
		"/metrics":            {up, "berth_build_info", `jobs{worker="` + string(worker.ID) + `",hostname="web-1"} 4`, `hostname="web-2"} 0`},
		"/api/custom/metrics": {up, "berth_build_info"},
		"/api/custom/workers/" + string(worker.ID) + "/metrics": {up, "jobs{"},
		"/api/custom/workers/" + string(away.ID) + "/metrics":   {`hostname="web-2"} 0`},
	} {
		w := s.do(call{method: "GET", path: path, key: key})
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != metricsType {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		text := w.Body.String()
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s:\n%s", path, part, text)
			}
		}
		check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
		check.Stdin = strings.NewReader(text)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: promtool (package prometheus) says %v: %s", path, err, out)
		}
	}
	for _, id := range []string{"wrk_x", core.NewID(core.PrefixWorker, time.Now())} {
		wantCode(t, s, http.StatusNotFound, "worker.not_found", call{method: "GET", path: "/api/custom/workers/" + id + "/metrics", key: key})
	}
}

// SPEC §5 and §7.
func TestMetricsNeedAKeyOfRoleMonitoringOrHigher(t *testing.T) {
	s := newStand(t)
	u := s.found()
	paths := []string{"/metrics", "/api/custom/metrics", "/api/custom/metrics/targets", "/api/custom/workers/" + core.NewID(core.PrefixWorker, time.Now()) + "/metrics"}
	for _, path := range paths {
		for name, c := range map[string]struct {
			call   call
			status int
		}{
			"no key":        {call{}, 401},
			"a bad key":     {call{key: "x"}, 401},
			"a session":     {call{session: s.session(u)}, 401},
			"a viewer":      {call{key: s.keyOf(access.RoleViewer)}, 403},
			"a monitor":     {call{key: s.keyOf(access.RoleMonitoring)}, 200},
			"an operator":   {call{key: s.keyOf(access.RoleOperator)}, 200},
			"a header line": {call{authorization: "Bearer X-Service-Api-Key: " + s.keyOf(access.RoleMonitoring)}, 200},
		} {
			c.call.method, c.call.path = "GET", path
			want := c.status
			if want == 200 && strings.Contains(path, "/workers/") {
				want = 404 // past the guard: there is no such worker
			}
			if w := s.do(c.call); w.Code != want {
				t.Errorf("%s with %s: %d, want %d: %s", path, name, w.Code, want, w.Body)
			}
		}
	}
}

func (s *stand) keyOf(role access.Role) string {
	s.t.Helper()
	_, key := s.key(s.account(role), 0)
	return key
}

func TestTargetsAreForServiceDiscovery(t *testing.T) {
	s := newStand(t)
	s.found()
	groups := into[[]ops.TargetGroup](t, s, http.StatusOK, call{method: "GET", path: "/api/custom/metrics/targets", key: s.keyOf(access.RoleMonitoring)})
	if len(groups) != 1 || len(groups[0].Targets) != 1 || groups[0].Targets[0] != "berth.test:80" ||
		groups[0].Labels["__metrics_path__"] != "/metrics" || groups[0].Labels["__scheme__"] != "http" {
		t.Errorf("got %+v", groups)
	}
}

// told is a source that notes what it was asked for.
type told struct{ formats []metrics.Format }

func (s *told) All(_ context.Context, f metrics.Format, w io.Writer) error {
	s.formats = append(s.formats, f)
	text := "a 1\n"
	if f.Gzip {
		text = "\x1f\x8b and so on"
	}
	_, err := io.WriteString(w, text)
	return err
}

func (s *told) Worker(ctx context.Context, _ core.WorkerID, f metrics.Format, w io.Writer) error {
	return s.All(ctx, f, w)
}

func TestScrapersSayWhichFormatTheyRead(t *testing.T) {
	const (
		text = "text/plain; version=0.0.4; charset=utf-8"
		open = "application/openmetrics-text; version=1.0.0; charset=utf-8"
		v2   = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
		v3   = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
	)
	for name, c := range map[string]struct {
		accept, encoding string
		want             string // the media type
		gzip             bool
	}{
		"nothing":                {"", "", text, false},
		"anything":               {"*/*", "*", text, false},
		"a browser":              {"text/html,application/xhtml+xml,*/*;q=0.8", "gzip, deflate, br", text, true},
		"Prometheus 2":           {v2, "gzip", open, true},
		"Prometheus 3":           {v3, "gzip", open, true},
		"rather the text format": {"text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.9", "identity", text, false},
		"another OpenMetrics":    {"application/openmetrics-text;version=2.0.0", "", text, false},
		"no OpenMetrics at all":  {"application/openmetrics-text;version=1.0.0;q=0", "gzip;q=0", text, false},
		"weights that are none":  {"application/openmetrics-text;version=1.0.0;q=x", "gzip;q=2", text, false},
		"not a list":             {";;;", "\x01", text, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := &told{}, httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.Header.Set("Accept", c.accept)
			r.Header.Set("Accept-Encoding", c.encoding)
			ops.Metrics(s).ServeHTTP(w, r)
			got := w.Header()
			if got.Get("Content-Type") != c.want || (got.Get("Content-Encoding") == "gzip") != c.gzip || got.Get("Vary") != "Accept, Accept-Encoding" {
				t.Errorf("the answer's header is %v", got)
			}
			if f := s.formats[0]; f.Gzip != c.gzip || f.OpenMetrics != (c.want == open) {
				t.Errorf("the source was asked for %+v", f)
			}
		})
	}
}

// source is a hub as it should not be.
type source func(ctx context.Context, w io.Writer) error

func (f source) All(ctx context.Context, _ metrics.Format, w io.Writer) error { return f(ctx, w) }

func (f source) Worker(ctx context.Context, _ core.WorkerID, _ metrics.Format, w io.Writer) error {
	return f(ctx, w)
}

func scrape(f source) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	ops.Metrics(f).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w
}

func TestAHubThatIsAwayIsTold(t *testing.T) {
	for name, f := range map[string]source{
		"it does not answer": func(ctx context.Context, _ io.Writer) error { <-ctx.Done(); return ctx.Err() },
		"it says nothing":    func(context.Context, io.Writer) error { return nil },
		"it is known to be away": func(context.Context, io.Writer) error {
			return fault.New(fault.Unavailable, "hub.away", "away")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				w := scrape(f)
				if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "hub.away") || w.Header().Get("Retry-After") == "" {
					t.Errorf("got %d %s", w.Code, w.Body)
				}
				if took := time.Since(begin); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestALongScrapeIsNotCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := scrape(func(ctx context.Context, w io.Writer) error {
			for range 10 {
				if _, err := io.WriteString(w, "a 1\n"); err != nil {
					return err
				}
				time.Sleep(time.Second)
			}
			return ctx.Err()
		})
		if w.Code != http.StatusOK || w.Body.String() != strings.Repeat("a 1\n", 10) {
			t.Errorf("got %d %q", w.Code, w.Body)
		}
	})
}

func TestHalfAnAnswerIsNoAnswer(t *testing.T) {
	server := httptest.NewServer(ops.Metrics(source(func(_ context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("a 1\n", 5000)); err != nil {
			return err
		}
		return errors.New("the hub broke off")
	})))
	defer server.Close()
	answer, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("the client took %d bytes for the whole", len(text))
	}
}

var _ metrics.Source = source(nil)
