package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/metrics"
	"berth/core/stacks"
	"berth/hub/adapter/promtext"
)

// clock is a time that stands still until it is moved; it is read from several goroutines.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

func board() (*metrics.Board, *clock) {
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	figures := metrics.Process{ResidentBytes: 1 << 25, VirtualBytes: 1 << 30, CPUSeconds: 1.5, StartedAt: at.now, OpenFiles: 12, MaxFiles: 1024}
	return metrics.NewBoard(metrics.Config{Version: "1.2.3", HubURL: "https://hub:8091", Validator: promtext.Validator{}, Clock: at.read,
		Process: func() metrics.Process { return figures }}), at
}

func scrape(t testing.TB, b *metrics.Board) string {
	t.Helper()
	var out strings.Builder
	if err := b.All(t.Context(), metrics.Format{}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func scrapeOne(t *testing.T, b *metrics.Board, id core.WorkerID) string {
	t.Helper()
	var out strings.Builder
	if err := b.Worker(t.Context(), id, metrics.Format{}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// promtool has the real Prometheus judge an exposition, its linter included.
func promtool(t *testing.T, text string) {
	t.Helper()
	check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool (package prometheus) says: %v\n%s\nabout\n%s", err, out, text)
	}
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

func wantNone(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s is in\n%s", part, text)
		}
	}
}

// snapshot is what a worker of ours reports.
const snapshot = `# HELP berth_worker_containers Containers on the worker's host, by state.
# TYPE berth_worker_containers gauge
berth_worker_containers{state="running"} 3
# HELP berth_worker_apply_duration_seconds Time that putting a revision in place took.
# TYPE berth_worker_apply_duration_seconds histogram
berth_worker_apply_duration_seconds_bucket{le="1"} 2
berth_worker_apply_duration_seconds_bucket{le="+Inf"} 3
berth_worker_apply_duration_seconds_sum 4.5
berth_worker_apply_duration_seconds_count 3
# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 17
`

// busy writes every family of the server's own.
func busy(b *metrics.Board) {
	b.Own.Deployed(stacks.TriggerPoll, stacks.DeploymentSucceeded, 3*time.Second)
	b.Own.Deployed(stacks.TriggerManual, stacks.DeploymentFailed, 40*time.Minute)
	b.Own.PhaseEnded(stacks.PhaseApply, 300*time.Millisecond)
	b.Own.Stacks(map[stacks.Status]int{stacks.StatusActive: 2, stacks.StatusError: 1})
	b.Own.Fetched(true, 20*time.Millisecond)
	b.Own.Fetched(false, time.Second)
	b.Own.Refused("result")
	b.Own.Request("api", 404, 5*time.Millisecond)
	b.Own.AuthenticationFailed("api_key")
}

func TestPromtoolAcceptsAnyNumberOfWorkers(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b, _ := board()
			promtool(t, scrape(t, b))
			busy(b)
			for i := range n {
				id := core.WorkerID(fmt.Sprintf("wrk_%d", i))
				b.Workers.Connected(id, fmt.Sprintf("host-%d", i))
				b.Workers.Heard(id, 3*time.Millisecond)
				b.Workers.Put(id, metrics.Snapshot{Text: snapshot})
				promtool(t, scrapeOne(t, b, id))
			}
			text := scrape(t, b)
			promtool(t, text)
			if got := strings.Count(text, "berth_worker_containers{"); got != n {
				t.Errorf("%d workers reported, want %d", got, n)
			}
			for line := range strings.Lines(text) {
				if kind, found := strings.CutPrefix(line, "# TYPE "); found && strings.Count(text, line) != 1 {
					t.Errorf("family %s stands there more than once", kind)
				}
			}
		})
	}
}

func TestTheServersOwnFamilies(t *testing.T) {
	b, _ := board()
	busy(b)
	text := scrape(t, b)
	wantLines(t, text,
		`berth_deployments_total{trigger="poll",result="succeeded"} 1`,
		`berth_deployment_duration_seconds_bucket{result="succeeded",le="2.5"} 0`,
		`berth_deployment_duration_seconds_bucket{result="succeeded",le="5"} 1`,
		`berth_deployment_duration_seconds_bucket{result="failed",le="1800"} 0`,
		`berth_deployment_duration_seconds_bucket{result="failed",le="+Inf"} 1`,
		`berth_deployment_duration_seconds_sum{result="failed"} 2400`,
		`berth_deployment_duration_seconds_count{result="failed"} 1`,
		`berth_deployment_phase_duration_seconds_bucket{phase="apply",le="1"} 1`,
		`berth_stacks{status="active"} 2`,
		`berth_fetches_total{result="failed"} 1`,
		`berth_fetch_duration_seconds_count 2`,
		`berth_http_requests_total{surface="api",code="4xx"} 1`,
		`berth_http_request_duration_seconds_bucket{surface="api",le="0.005"} 1`,
		`berth_authentication_failures_total{kind="api_key"} 1`,
		`berth_worker_messages_refused_total{what="result"} 1`,
		`berth_metrics_dropped_series_total{reason="unreadable"} 0`,
		`berth_workers{state="offline"} 0`,
		`process_resident_memory_bytes 33554432`,
		`process_cpu_seconds_total 1.5`,
		`process_start_time_seconds 1700000000`,
		`process_open_fds 12`)
	if !strings.Contains(text, `berth_build_info{version="1.2.3",go_version="go1`) || !strings.Contains(text, "\ngo_goroutines ") {
		t.Errorf("no build or runtime figures in\n%s", text)
	}
	b.Own.Stacks(map[stacks.Status]int{stacks.StatusActive: 3})
	text = scrape(t, b)
	wantLines(t, text, `berth_stacks{status="active"} 3`)
	wantNone(t, text, `status="error"`)
}

func TestAWorkerThatIsGoneIsDownAndSaysNothing(t *testing.T) {
	b, at := board()
	b.Workers.Know("wrk_old", "host-old")
	b.Workers.Connected("wrk_1", "host-1")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: snapshot})
	at.pass(30 * time.Second)
	b.Workers.Heard("wrk_1", 2500*time.Microsecond)
	wantLines(t, scrape(t, b),
		`berth_worker_up{worker="wrk_1",hostname="host-1"} 1`,
		`berth_worker_up{worker="wrk_old",hostname="host-old"} 0`,
		`berth_worker_last_seen_timestamp_seconds{worker="wrk_1",hostname="host-1"} 1700000030`,
		`berth_worker_link_round_trip_seconds{worker="wrk_1",hostname="host-1"} 0.0025`,
		`berth_workers{state="online"} 1`, `berth_workers{state="offline"} 1`)
	b.Workers.Left("wrk_1")
	at.pass(30 * time.Second)
	b.Workers.Heard("wrk_1", time.Millisecond) // a straggler
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: snapshot})
	text := scrape(t, b)
	wantLines(t, text, `berth_worker_up{worker="wrk_1",hostname="host-1"} 0`,
		`berth_worker_last_seen_timestamp_seconds{worker="wrk_1",hostname="host-1"} 1700000030`)
	wantNone(t, text, "berth_worker_containers", "round_trip_seconds{", "berth_worker_apply")
	promtool(t, text)
	b.Workers.Forget("wrk_1")
	b.Workers.Forget("wrk_unknown")
	wantNone(t, scrape(t, b), "wrk_1")
}

func TestASnapshotIsReplacedAsAWhole(t *testing.T) {
	b, at := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "a 1\nb 2\n# TYPE c gauge\nc 3\n"})
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "too_soon 1\n"})
	at.pass(time.Second)
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "b 5\n# TYPE c counter\nc 6\nd 7\n"})
	text := scrape(t, b)
	wantLines(t, text, `b{worker="wrk_1",hostname="h"} 5`, "# TYPE c counter", `c{worker="wrk_1",hostname="h"} 6`, `d{worker="wrk_1",hostname="h"} 7`)
	wantNone(t, text, "\na{", "too_soon", "# TYPE c gauge")
}

// O9: what one worker gets wrong costs nobody anything but its own bad lines.
func TestABadSnapshotSpoilsNothingElse(t *testing.T) {
	b, _ := board()
	for id, text := range map[core.WorkerID]string{
		"wrk_1": "# HELP jobs Jobs.\n# TYPE jobs gauge\njobs 1\n",
		"wrk_2": "complete garbage\n# HELP jobs Jobs.\n# TYPE jobs gauge\njobs{a b=\"c\"} 1\njobs{kind=\"x\"} 2\n",
	} {
		b.Workers.Connected(id, "h")
		b.Workers.Put(id, metrics.Snapshot{Text: text})
	}
	b.Workers.Connected("wrk_3", "h")
	b.Workers.Put("wrk_3", metrics.Snapshot{Text: "# HELP jobs Jobs.\n# TYPE jobs counter\njobs 1\n# HELP fine Fine.\n# TYPE fine gauge\nfine 1\n"})
	text := scrape(t, b)
	wantLines(t, text, `jobs{worker="wrk_1",hostname="h"} 1`, `jobs{worker="wrk_2",hostname="h",kind="x"} 2`, `fine{worker="wrk_3",hostname="h"} 1`,
		`berth_metrics_dropped_series_total{reason="unreadable"} 2`, `berth_metrics_dropped_series_total{reason="clash"} 1`)
	wantNone(t, text, `jobs{worker="wrk_3"`)
	promtool(t, text)
}

func TestNamesThatWouldMisleadReadersAreRefused(t *testing.T) {
	const histogram = "# HELP t T.\n# TYPE t histogram\nt_bucket{le=\"+Inf\"} 1\nt_sum 1\nt_count 1\n"
	for name, c := range map[string]struct{ first, second, absent string }{
		"a family of the server":         {"ok 1\n", "# TYPE berth_worker_up gauge\nberth_worker_up{x=\"1\"} 1\n", `berth_worker_up{worker="wrk_2",hostname="h",x`},
		"the states of workers":          {"ok 1\n", "# TYPE berth_workers gauge\nberth_workers{state=\"forged\"} 1\n", "forged"},
		"a runtime family, another type": {"ok 1\n", "# TYPE go_goroutines counter\ngo_goroutines 1\n", "go_goroutines{"},
		"a part of a histogram":          {histogram, "# TYPE t_count gauge\nt_count 9\n", "t_count gauge"},
		"a histogram around a family":    {"# HELP t_sum S.\n# TYPE t_sum gauge\nt_sum 9\n", histogram, "t histogram"},
		"a part of the server's own":     {"ok 1\n", "berth_fetch_duration_seconds_count 1\n", `berth_fetch_duration_seconds_count{worker`},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := board()
			b.Workers.Connected("wrk_1", "h")
			b.Workers.Put("wrk_1", metrics.Snapshot{Text: c.first})
			b.Workers.Connected("wrk_2", "h")
			b.Workers.Put("wrk_2", metrics.Snapshot{Text: c.second})
			text := scrape(t, b)
			wantNone(t, text, c.absent)
			wantNone(t, text, `{reason="clash"} 0`)
			if _, dropped := (promtext.Validator{}).Validate(text, nil); len(dropped) > 0 {
				t.Errorf("a reader drops %v of\n%s", dropped, text)
			}
		})
	}
	b, _ := board() // with the first one gone the name is free
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: histogram})
	b.Workers.Left("wrk_1")
	b.Workers.Connected("wrk_2", "h")
	b.Workers.Put("wrk_2", metrics.Snapshot{Text: "# TYPE t_count gauge\nt_count 9\n"})
	wantLines(t, scrape(t, b), `t_count{worker="wrk_2",hostname="h"} 9`)
}

func TestWhatIsTooLargeIsCounted(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: strings.Repeat("a 1\n", metrics.MaxSnapshot/4+1)})
	wantNone(t, scrape(t, b), `{reason="too_large"} 0`)
}

func TestAnOldSnapshotEnds(t *testing.T) {
	b, at := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "a 1\n"})
	at.pass(5 * time.Minute)
	wantLines(t, scrape(t, b), `a{worker="wrk_1",hostname="h"} 1`)
	at.pass(2 * time.Minute)
	text := scrape(t, b)
	wantNone(t, text, "\na{")
	wantLines(t, text, `berth_worker_up{worker="wrk_1",hostname="h"} 1`)
}

func TestOneWorkersMetricsAreItsOwn(t *testing.T) {
	b, _ := board()
	for _, id := range []core.WorkerID{"wrk_1", "wrk_2"} {
		b.Workers.Connected(id, "h")
		b.Workers.Put(id, metrics.Snapshot{Text: snapshot})
	}
	text := scrapeOne(t, b, "wrk_2")
	wantNone(t, text, "wrk_1", "berth_build_info", "process_")
	wantLines(t, text, `berth_worker_up{worker="wrk_2",hostname="h"} 1`, `go_goroutines{worker="wrk_2",hostname="h"} 17`, "# TYPE go_goroutines gauge")
	err := b.Worker(t.Context(), "wrk_3", metrics.Format{}, io.Discard)
	if !fault.Is(err, fault.NotFound) || fault.CodeOf(err) != "worker.not_found" {
		t.Errorf("an unknown worker gives %v", err)
	}
}

func TestHostNamesCannotBreakOut(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_1", "a\"} 1\nforged{x=\"\\")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "# HELP ok Fine.\n# TYPE ok gauge\nok 1\n"})
	text := scrape(t, b)
	promtool(t, text)
	wantNone(t, text, "\nforged")
	wantLines(t, text, `ok{worker="wrk_1",hostname="a\"} 1\nforged{x=\"\\"} 1`)
}

func TestOwnLabelsAreBounded(t *testing.T) {
	b, _ := board()
	for i := range 2000 {
		b.Own.Refused(fmt.Sprintf("word-%d", i))
	}
	text := scrape(t, b)
	if n := strings.Count(text, "berth_worker_messages_refused_total{"); n != 500 {
		t.Errorf("%d series", n)
	}
	wantLines(t, text, `berth_metrics_dropped_series_total{reason="too_many"} 1500`)
}

// stuck fails after some bytes, as a client does that has left.
type stuck struct{ room int }

var errLeft = errors.New("the client left")

func (s *stuck) Write(p []byte) (int, error) {
	if s.room -= len(p); s.room < 0 {
		return 0, errLeft
	}
	return len(p), nil
}

func TestAClientThatLeavesEndsTheScrape(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: snapshot})
	if err := b.All(t.Context(), metrics.Format{}, &stuck{room: 10}); !errors.Is(err, errLeft) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.All(ctx, metrics.Format{}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	promtool(t, scrape(t, b)) // nothing of the failed one is left over
}

// O10: scrapes and pushes at once, none of which waits for a slow reader.
func TestScrapesAndPushesAtOnce(t *testing.T) {
	b, at := board()
	const workers = 20
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			id := core.WorkerID(fmt.Sprintf("wrk_%02d", i))
			b.Workers.Connected(id, "h")
			for range 10 {
				b.Workers.Put(id, metrics.Snapshot{Text: snapshot})
				b.Workers.Heard(id, time.Millisecond)
				at.pass(time.Second)
			}
			if i%4 == 0 {
				b.Workers.Left(id)
			}
		})
	}
	for range 8 {
		all.Go(func() {
			for range 10 {
				if err := b.All(t.Context(), metrics.Format{}, io.Discard); err != nil {
					t.Error(err)
				}
				busy(b)
			}
		})
	}
	all.Wait()
	text := scrape(t, b)
	promtool(t, text)
	if n := strings.Count(text, "berth_worker_containers{"); n != workers*3/4 {
		t.Errorf("%d workers report, want %d", n, workers*3/4)
	}
}

// L4: ten thousand workers stay within 5 MB.
func TestManyWorkersStayBounded(t *testing.T) {
	b, _ := board()
	for i := range 10_000 {
		id := core.WorkerID(core.NewID(core.PrefixWorker, time.Unix(int64(i), 0)))
		b.Workers.Connected(id, fmt.Sprintf("host-%05d", i))
		b.Workers.Heard(id, 1234*time.Microsecond)
	}
	if n := len(scrape(t, b)); n > 5_000_000 {
		t.Errorf("%d bytes", n)
	}
}

// BenchmarkScrapeOf1000Workers scrapes 200 series of each, as they are and compressed.
func BenchmarkScrapeOf1000Workers(b *testing.B) {
	var text strings.Builder
	for family := range 40 {
		fmt.Fprintf(&text, "# HELP x_%d Something.\n# TYPE x_%d gauge\n", family, family)
		for i := range 5 {
			fmt.Fprintf(&text, "x_%d{stack=\"stack-%d\"} %d\n", family, i, i)
		}
	}
	m, _ := board()
	for i := range 1000 {
		m.Workers.Connected(id(i), "host")
		m.Workers.Put(id(i), metrics.Snapshot{Text: text.String()})
	}
	for _, f := range []metrics.Format{{}, {Gzip: true}} {
		b.Run(fmt.Sprintf("gzip=%t", f.Gzip), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(scrape(b, m))))
			for b.Loop() {
				if err := m.All(b.Context(), f, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestAFullDiskIsAFigure(t *testing.T) {
	b, _ := board()
	for _, c := range []struct {
		room bool
		want string
	}{{true, "\nberth_store_disk_full 0\n"}, {false, "\nberth_store_disk_full 1\n"}, {true, "\nberth_store_disk_full 0\n"}} {
		b.Own.Room(c.room)
		if text := scrape(t, b); !strings.Contains(text, c.want) {
			t.Errorf("room %v: no line %q", c.room, c.want)
		}
	}
}
