package metrics_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core/hubs"
	"berth/core/metrics"
)

func TestTheMetricsOfSeveralHubsAreOneExposition(t *testing.T) {
	one, _ := board()
	two, _ := board()
	one.Workers.Connected("wrk_a", "alpha")
	one.Workers.Put("wrk_a", metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
	one.Workers.Know("wrk_c", "gamma")
	two.Workers.Connected("wrk_b", "beta")
	two.Workers.Put("wrk_b", metrics.Snapshot{Text: "# TYPE load gauge\nload 2\n# TYPE only gauge\nonly 3\n"})
	two.Workers.Know("wrk_c", "gamma")
	two.Workers.Know("wrk_a", "alpha") // it was linked here before
	one.Own.Fetched(true, 0)
	two.Own.Fetched(true, 0)
	two.Own.Fetched(true, 0)

	text := merge(t, one, two)
	promtool(t, text)
	wantLines(t, text,
		`berth_worker_up{worker="wrk_a",hostname="alpha"} 1`, `berth_worker_up{worker="wrk_b",hostname="beta"} 1`, `berth_worker_up{worker="wrk_c",hostname="gamma"} 0`,
		`load{worker="wrk_a",hostname="alpha"} 1`, `load{worker="wrk_b",hostname="beta"} 2`, `only{worker="wrk_b",hostname="beta"} 3`,
		`berth_workers{state="online"} 2`, `berth_workers{state="offline"} 1`,
		`berth_fetches_total{hub="hub_0",result="succeeded"} 1`, `berth_fetches_total{hub="hub_1",result="succeeded"} 2`,
		`berth_fetch_duration_seconds_count{hub="hub_1"} 2`)
	if n := strings.Count(text, `berth_worker_up{worker="wrk_a"`); n != 1 {
		t.Errorf("worker a is there %d times", n)
	}
	if n := strings.Count(text, "# TYPE load "); n != 1 {
		t.Errorf("the family load begins %d times", n)
	}
}

func TestAFamilyOfTwoTypesIsTakenOnce(t *testing.T) {
	one, _ := board()
	two, _ := board()
	one.Workers.Connected("wrk_a", "alpha")
	one.Workers.Put("wrk_a", metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
	two.Workers.Connected("wrk_b", "beta")
	two.Workers.Put("wrk_b", metrics.Snapshot{Text: "# TYPE load counter\nload 2\n"})
	text := merge(t, one, two)
	promtool(t, text)
	wantLines(t, text, "# TYPE load gauge", `load{worker="wrk_a",hostname="alpha"} 1`)
	wantNone(t, text, "# TYPE load counter", `load{worker="wrk_b"`)
}

func TestLabelsOfHubsAreEscapedAndWhatIsNoExpositionIsLeftOut(t *testing.T) {
	b, _ := board()
	var out bytes.Buffer
	if err := b.All(t.Context(), metrics.Format{Hub: `a"b`}, &out); err != nil {
		t.Fatal(err)
	}
	wantLines(t, out.String(), `process_cpu_seconds_total{hub="a\"b"} 1.5`, `berth_metrics_dropped_series_total{hub="a\"b",reason="clash"} 0`, `berth_workers{state="online"} 0`)
	out.Reset()
	const text = "# HELP x Y.\n# TYPE x gauge\nx 1\n"
	if err := metrics.Merge(&out, metrics.Format{}, [][]byte{[]byte("noise\n" + text), nil, []byte("# HELP x")}, nil); err != nil || out.String() != text {
		t.Errorf("got %q, %v; want %q", out.String(), err, text)
	}
	full := errors.New("full")
	for _, f := range []metrics.Format{{}, {Gzip: true}} {
		if err := metrics.Merge(refusing{full}, f, [][]byte{out.Bytes()}, nil); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	}
}

func TestWhatIsMergedHasAnyFormat(t *testing.T) {
	one, _ := board()
	one.Own.Fetched(true, 0)
	one.Workers.Connected("wrk_a", "alpha")
	var plain, zipped bytes.Buffer
	text := [][]byte{[]byte(scrape(t, one))}
	if err := metrics.Merge(&plain, metrics.Format{OpenMetrics: true}, text, registered); err != nil {
		t.Fatal(err)
	}
	if err := metrics.Merge(&zipped, metrics.Format{OpenMetrics: true, Gzip: true}, text, registered); err != nil {
		t.Fatal(err)
	}
	if got := unzip(t, zipped.Bytes()); got != plain.String() {
		t.Errorf("compressed it is\n%s\nand else\n%s", got, &plain)
	}
	wantLines(t, plain.String(), "# TYPE berth_fetches counter", `berth_fetches_total{result="succeeded"} 1`, "# TYPE berth_build info", "# EOF")
	wantNone(t, plain.String(), "_total counter")
}

// refusing takes nothing.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

var registered = []metrics.Registered{{ID: "wrk_a", Hostname: "alpha"}, {ID: "wrk_b", Hostname: "beta"}, {ID: "wrk_c", Hostname: "gamma"}}

func TestWorkersAreThoseThatAreRegisteredWhateverHubsKnow(t *testing.T) {
	one, _ := board()
	one.Workers.Connected("wrk_a", "alpha")
	one.Workers.Connected("wrk_revoked", "old")
	one.Workers.Put("wrk_revoked", metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
	text := merge(t, one) // nobody knows wrk_b and wrk_c: the hub that did has died
	promtool(t, text)
	wantLines(t, text, `berth_worker_up{worker="wrk_a",hostname="alpha"} 1`, `berth_worker_up{worker="wrk_b",hostname="beta"} 0`,
		`berth_worker_up{worker="wrk_c",hostname="gamma"} 0`, `berth_workers{state="online"} 1`, `berth_workers{state="offline"} 2`)
	wantNone(t, text, "wrk_revoked")

	none, _ := board()
	text = merge(t, none)
	promtool(t, text)
	wantLines(t, text, `berth_worker_up{worker="wrk_a",hostname="alpha"} 0`, `berth_workers{state="offline"} 3`)
	var alone strings.Builder
	if err := metrics.Unlinked(&alone, metrics.Format{}, registered[1]); err != nil {
		t.Fatal(err)
	}
	promtool(t, alone.String())
	wantLines(t, alone.String(), `berth_worker_up{worker="wrk_b",hostname="beta"} 0`)
}

func TestItIsToldOfEachHubWhetherItAnswered(t *testing.T) {
	up := metrics.NewBoard(metrics.Config{Version: "1", HubURL: "https://two:8091", Clock: time.Now, Process: func() metrics.Process { return metrics.Process{} }})
	dead := hubs.Hub{ID: "hub_1", URL: `https://one"x:8091`}
	var said, out bytes.Buffer
	if err := up.All(t.Context(), metrics.Format{Hub: "hub_2"}, &said); err != nil {
		t.Fatal(err)
	}
	if err := metrics.Merge(&out, metrics.Format{}, [][]byte{said.Bytes(), metrics.HubDown(dead)}, registered); err != nil {
		t.Fatal(err)
	}
	promtool(t, out.String())
	wantLines(t, out.String(), `berth_hub_up{hub="hub_1",url="https://one\"x:8091"} 0`, `berth_hub_up{hub="hub_2",url="https://two:8091"} 1`)
}

func merge(t *testing.T, boards ...*metrics.Board) string {
	t.Helper()
	var all [][]byte
	for i, b := range boards {
		var out bytes.Buffer
		if err := b.All(t.Context(), metrics.Format{Hub: fmt.Sprintf("hub_%d", i)}, &out); err != nil {
			t.Fatal(err)
		}
		all = append(all, out.Bytes())
	}
	var out bytes.Buffer
	if err := metrics.Merge(&out, metrics.Format{}, all, registered); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
