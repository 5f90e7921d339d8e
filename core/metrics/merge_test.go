package metrics_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// TestAnswersMayComeCompressed: what is made of them is the same, and one that is damaged is told.
func TestAnswersMayComeCompressed(t *testing.T) {
	var plain, zipped [][]byte
	for i := range 2 {
		b, _ := board()
		for _, w := range registered[:2] {
			if b.Workers.Know(w.ID, w.Hostname); int(w.ID[4]-'a') == i {
				b.Workers.Connected(w.ID, w.Hostname)
				b.Workers.Put(w.ID, metrics.Snapshot{Text: wide(i) + strings.ReplaceAll(wide(i), "x", "y") + strings.ReplaceAll(wide(i), "x", "z") + strings.ReplaceAll(wide(i), "x", "v") + "long{x=\"" + strings.Repeat("y", 100) + "\"} 1\n"})
			}
		}
		for _, f := range []metrics.Format{{Hub: fmt.Sprintf("hub_%d", i)}, {Hub: fmt.Sprintf("hub_%d", i), Gzip: true}} {
			var out bytes.Buffer
			if err := b.All(t.Context(), f, &out); err != nil {
				t.Fatal(err)
			}
			if metrics.Compressed(out.Bytes()) != f.Gzip {
				t.Fatalf("compressed: %t, want %t", !f.Gzip, f.Gzip)
			}
			if f.Gzip {
				zipped = append(zipped, out.Bytes())
			} else {
				plain = append(plain, out.Bytes())
			}
		}
	}
	var one, other bytes.Buffer
	if err := errors.Join(metrics.Merge(&one, metrics.Format{}, plain, registered), metrics.Merge(&other, metrics.Format{}, zipped, registered)); err != nil {
		t.Fatal(err)
	}
	if one.String() != other.String() || strings.Count(one.String(), "\nx{") != 200 || strings.Count(one.String(), "\nlong{") != 2 {
		t.Errorf("compressed they become\n%s\nand else\n%s", &other, &one)
	}
	promtool(t, one.String())
	for name, spoil := range map[string]func([]byte) []byte{
		"cut off": func(b []byte) []byte { return b[:len(b)/2] }, "of other bytes": func(b []byte) []byte { b[len(b)/2] ^= 0x55; return b },
		"with a bad header": func(b []byte) []byte { return b[:5] },
	} {
		if err := metrics.Merge(io.Discard, metrics.Format{}, [][]byte{zipped[0], spoil(bytes.Clone(zipped[1]))}, registered); err == nil {
			t.Errorf("an answer %s is taken for a whole one", name)
		}
	}
}

func TestAnAnswerOutOfOrderSpoilsNoOther(t *testing.T) {
	long := "l{x=\"" + strings.Repeat("y", 200<<10) + "\"} 1\n"
	bad := "# HELP b Of b.\n# TYPE b gauge\nb 1\n# HELP a Of a.\n# TYPE a gauge\na 1\n# HELP b Of b.\n# TYPE b gauge\nb 2\n# HELP c\n# HELP l\n# TYPE l gauge\n" + long + "l 2"
	good := "# HELP a Of a.\n# TYPE a gauge\na 5\n# HELP d Of d.\n# TYPE d gauge\nd 4\n"
	var out bytes.Buffer
	if err := metrics.Merge(&out, metrics.Format{}, [][]byte{[]byte(bad), []byte(good)}, nil); err != nil {
		t.Fatal(err)
	}
	want := "# HELP a Of a.\n# TYPE a gauge\na 5\n# HELP b Of b.\n# TYPE b gauge\nb 1\n# HELP c\n# HELP d Of d.\n# TYPE d gauge\nd 4\n# HELP l\n# TYPE l gauge\n" + long
	if out.String() != want {
		t.Errorf("got\n%.600s\nwant\n%.600s", &out, want)
	}
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
