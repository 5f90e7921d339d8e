package metrics_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"berth/core/hubs"
	"berth/core/metrics"
)

func TestTheMetricsOfSeveralHubsAreOneExposition(t *testing.T) {
	one, _ := board()
	two, _ := board()
	one.Workers.Connected("wrk_a", "alpha")
	one.Workers.Put("wrk_a", "# TYPE load gauge\nload 1\n")
	one.Workers.Know("wrk_c", "gamma")
	two.Workers.Connected("wrk_b", "beta")
	two.Workers.Put("wrk_b", "# TYPE load gauge\nload 2\n# TYPE only gauge\nonly 3\n")
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
	one.Workers.Put("wrk_a", "# TYPE load gauge\nload 1\n")
	two.Workers.Connected("wrk_b", "beta")
	two.Workers.Put("wrk_b", "# TYPE load counter\nload 2\n")
	text := merge(t, one, two)
	promtool(t, text)
	wantLines(t, text, "# TYPE load gauge", `load{worker="wrk_a",hostname="alpha"} 1`)
	wantNone(t, text, "# TYPE load counter", `load{worker="wrk_b"`)
}

func TestLabelsOfHubsAreEscapedAndWhatIsNoExpositionIsLeftOut(t *testing.T) {
	var out bytes.Buffer
	err := metrics.Merge(&out, []metrics.Exposition{{Hub: `a"b`, Text: []byte("noise\n# HELP x Y.\n# TYPE x gauge\nx 1\n")}, {Hub: "none"}, {Hub: "cut", Text: []byte("# HELP x")}}, nil)
	if want := "# HELP x Y.\n# TYPE x gauge\nx{hub=\"a\\\"b\"} 1\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v; want %q", out.String(), err, want)
	}
	full := errors.New("full")
	if err := metrics.Merge(refusing{full}, []metrics.Exposition{{Hub: "a", Text: out.Bytes()}}, nil); !errors.Is(err, full) {
		t.Errorf("got %v", err)
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
	one.Workers.Put("wrk_revoked", "# TYPE load gauge\nload 1\n")
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
	if err := metrics.Unlinked(&alone, registered[1]); err != nil {
		t.Fatal(err)
	}
	promtool(t, alone.String())
	wantLines(t, alone.String(), `berth_worker_up{worker="wrk_b",hostname="beta"} 0`)
}

func TestItIsToldOfEachHubWhetherItAnswered(t *testing.T) {
	one, _ := board()
	dead, up := hubs.Hub{ID: "hub_1", URL: `https://one"x:8091`}, hubs.Hub{ID: "hub_2", URL: "https://two:8091"}
	var out bytes.Buffer
	if err := metrics.Merge(&out, []metrics.Exposition{{Hub: "hub_2", Text: []byte(scrape(t, one))}, metrics.HubUp(dead, false), metrics.HubUp(up, true)}, registered); err != nil {
		t.Fatal(err)
	}
	promtool(t, out.String())
	wantLines(t, out.String(), `berth_hub_up{hub="hub_1",url="https://one\"x:8091"} 0`, `berth_hub_up{hub="hub_2",url="https://two:8091"} 1`)
}

func merge(t *testing.T, boards ...*metrics.Board) string {
	t.Helper()
	var all []metrics.Exposition
	for i, b := range boards {
		all = append(all, metrics.Exposition{Hub: "hub_" + string(rune('0'+i)), Text: []byte(scrape(t, b))})
	}
	var out bytes.Buffer
	if err := metrics.Merge(&out, all, registered); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
