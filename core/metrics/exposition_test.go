package metrics_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core"
	"berth/core/metrics"
	"berth/core/stacks"
	"berth/hub/adapter/promtext"
)

// scraped returns an exposition as it is sent.
func scraped(t testing.TB, b *metrics.Board, f metrics.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.All(t.Context(), f, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unzip reads one gzip member, and fails when there is anything else.
func unzip(t testing.TB, zipped []byte) string {
	t.Helper()
	if !metrics.Compressed(zipped) {
		t.Fatalf("it is not compressed: %.100q", zipped)
	}
	from := bytes.NewReader(zipped)
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if from.Len() > 0 {
		t.Errorf("%d bytes follow the member", from.Len())
	}
	return string(text)
}

// still is a board whose own figures do not change between two scrapes.
func still(now core.Clock) *metrics.Board {
	return metrics.NewBoard(metrics.Config{Version: "1", Validator: promtext.Validator{}, Clock: now, Process: func() metrics.Process { return metrics.Process{} }})
}

// fixed takes the lines out that are not the same from one scrape to the next.
func fixed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "go_") && !strings.HasPrefix(line, "process_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func id(i int) core.WorkerID { return core.WorkerID(fmt.Sprintf("wrk_%05d", i)) }

func TestACompressedExpositionIsTheSame(t *testing.T) {
	for _, n := range []int{0, 1, 90, 1500} {
		for _, open := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d workers, OpenMetrics %t", n, open), func(t *testing.T) {
				b, at := board()
				for i := range n {
					b.Workers.Connected(id(i), "host")
					b.Workers.Put(id(i), metrics.Snapshot{Text: snapshot})
				}
				plain := fixed(string(scraped(t, b, metrics.Format{OpenMetrics: open})))
				for range 3 { // made, then copied, then made again in part
					zipped := scraped(t, b, metrics.Format{OpenMetrics: open, Gzip: true})
					if n < 2 {
						if metrics.Compressed(zipped) {
							t.Error("so little is compressed")
						}
						continue
					}
					if got := fixed(unzip(t, zipped)); got != plain {
						t.Fatalf("it differs: %d bytes, want %d", len(got), len(plain))
					}
					if n > 100 {
						at.pass(time.Minute)
						b.Workers.Put(id(7), metrics.Snapshot{Text: strings.ReplaceAll(snapshot, " 3\n", " 4\n")})
						plain = fixed(string(scraped(t, b, metrics.Format{OpenMetrics: open})))
					}
				}
			})
		}
	}
}

func TestCompressedValuesAgeAndAnAbsenceDoesNot(t *testing.T) {
	b, at := board()
	for i := range 500 {
		b.Workers.Connected(id(i), "host")
		b.Workers.Put(id(i), metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
	}
	read := func() string { return unzip(t, scraped(t, b, metrics.Format{Gzip: true})) }
	read()
	at.pass(time.Second)
	b.Workers.Put(id(3), metrics.Snapshot{Text: "# TYPE load gauge\nload 2\n"})
	wantLines(t, read(), `load{worker="wrk_00003",hostname="host"} 1`)
	at.pass(10 * time.Second)
	wantLines(t, read(), `load{worker="wrk_00003",hostname="host"} 2`)
	b.Workers.Left(id(4))
	text := read()
	wantLines(t, text, `berth_worker_up{worker="wrk_00004",hostname="host"} 0`)
	wantNone(t, text, `load{worker="wrk_00004"`)
	b.Workers.Forget(id(5))
	wantNone(t, read(), "wrk_00005")
}

// What changed while a piece was young enough to be shown as it was is shown in time, though the family was put together anew
// since, because another worker left.
func TestACompressedFamilyIsAsOldAsItsOldestPiece(t *testing.T) {
	b, at := board()
	const workers = 1500 // in several chunks
	for i := range workers {
		b.Workers.Connected(id(i), "host")
		b.Workers.Put(id(i), metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
	}
	read := func() string { return unzip(t, scraped(t, b, metrics.Format{Gzip: true})) }
	read()
	at.pass(time.Second)
	b.Workers.Put(id(0), metrics.Snapshot{Text: "# TYPE load gauge\nload 2\n"})
	b.Workers.Left(id(workers - 1))
	wantNone(t, read(), `load{worker="wrk_01499"`)
	at.pass(10 * time.Second)
	wantLines(t, read(), `load{worker="wrk_00000",hostname="host"} 2`)
}

func TestWhatIsScrapedCompressedIsKeptReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := still(time.Now)
		for i := range 500 {
			b.Workers.Connected(id(i), "host")
			b.Workers.Put(id(i), metrics.Snapshot{Text: "# TYPE load gauge\nload 1\n"})
		}
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go b.Workers.Keep(ctx)
		scraped(t, b, metrics.Format{Gzip: true})
		time.Sleep(time.Second)
		b.Workers.Put(id(3), metrics.Snapshot{Text: "# TYPE load gauge\nload 2\n"})
		time.Sleep(8 * time.Second) // nobody scrapes meanwhile, and what was made first is not yet too old
		wantLines(t, unzip(t, scraped(t, b, metrics.Format{Gzip: true})), `load{worker="wrk_00003",hostname="host"} 2`)
	})
}

// placesOf are the places of workers in a family, from 1.
func placesOf(text, family string) map[string]int {
	places := map[string]int{}
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, family+`{worker="`); found {
			who, _, _ := strings.Cut(rest, `"`)
			places[who] = len(places) + 1
		}
	}
	return places
}

// TestPartsAreWhatWasPut compares what is kept in chunks with a plain map, over many changes.
func TestPartsAreWhatWasPut(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		b, at := board()
		want := map[core.WorkerID]string{}
		families := []string{"a", "b", "c"}
		last := map[core.WorkerID]map[string]string{}
		for range 4000 {
			who := id(random.IntN(700))
			at.pass(time.Second)
			switch what := random.IntN(20); {
			case what == 0:
				b.Workers.Left(who)
				delete(last, who)
			case what == 1:
				b.Workers.Forget(who)
				delete(last, who)
			case what < 8 && last[who] != nil:
				name := families[random.IntN(3)]
				s := metrics.Snapshot{Changes: true}
				if random.IntN(3) == 0 {
					delete(last[who], name)
					s.Ended = []string{name}
				} else {
					last[who][name] = strings.Repeat("7", 1+random.IntN(6))
					s.Text = name + `{x="` + strings.Repeat("y", random.IntN(300)) + `"} ` + last[who][name] + "\n"
				}
				b.Workers.Put(who, s)
			default:
				b.Workers.Connected(who, "h")
				last[who] = map[string]string{}
				text := ""
				for _, name := range families {
					if random.IntN(4) > 0 {
						last[who][name] = fmt.Sprint(random.IntN(1e6))
						text += name + `{x="z"} ` + last[who][name] + "\n"
					}
				}
				b.Workers.Put(who, metrics.Snapshot{Text: text})
			}
		}
		// What expired is not in question here: everything is put again.
		clear(want)
		for who, values := range last {
			b.Workers.Put(who, metrics.Snapshot{Changes: true, Ended: []string{"none"}})
			var all []string
			for name, value := range values {
				all = append(all, name+"="+value)
			}
			slices.Sort(all)
			want[who] = strings.Join(all, " ")
		}
		got := map[core.WorkerID]string{}
		for who := range last {
			got[who] = ""
		}
		text := scrape(t, b)
		places := placesOf(text, "berth_worker_up")
		latest := map[string]int{}
		for line := range strings.Lines(text) {
			name, rest, found := strings.Cut(line, `{worker="`)
			if !found || len(name) != 1 {
				continue
			}
			who, _, _ := strings.Cut(rest, `"`)
			if latest[name] >= places[who] {
				t.Fatalf("%s of %s stands twice, or elsewhere than in the other families", name, who)
			}
			latest[name] = places[who]
			value := strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):])
			if got[core.WorkerID(who)] != "" {
				got[core.WorkerID(who)] += " "
			}
			got[core.WorkerID(who)] += name + "=" + value
		}
		if !maps.Equal(got, want) {
			for who := range want {
				if got[who] != want[who] {
					t.Fatalf("seed %d: %s has %q, want %q", seed, who, got[who], want[who])
				}
			}
			t.Fatalf("seed %d: %d workers, want %d", seed, len(got), len(want))
		}
	}
}

func TestOpenMetrics(t *testing.T) {
	b, _ := board()
	b.Own.Fetched(true, time.Second)
	b.Own.Deployed(stacks.TriggerPoll, stacks.DeploymentSucceeded, time.Second)
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "# HELP odd Says \"this\".\n# TYPE odd counter\nodd 1\nunknown 2\n# TYPE sum summary\nsum{quantile=\"0.5\"} 1\nsum_sum 2\nsum_count 3\n"})
	text := string(scraped(t, b, metrics.Format{OpenMetrics: true}))
	wantLines(t, text,
		"# TYPE berth_fetches counter", `berth_fetches_total{result="succeeded"} 1`,
		"# TYPE berth_build info", "# TYPE berth_fetch_duration_seconds histogram",
		"# TYPE odd unknown", `# HELP odd Says \"this\".`, "# TYPE unknown unknown", "# TYPE sum summary")
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Contains(text, "\n\n") {
		t.Errorf("it does not end as it should: %q", text[len(text)-50:])
	}
	wantNone(t, text, "untyped", "_total counter", "_info gauge")
}

func TestNamesThatClashInOpenMetricsAreRefused(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "# TYPE x_total counter\nx_total 1\n# TYPE x gauge\nx 1\n# TYPE y gauge\ny 1\n# TYPE y_info gauge\ny_info 1\n"})
	text := scrape(t, b)
	wantLines(t, text, `y{worker="wrk_1",hostname="h"} 1`, `berth_metrics_dropped_series_total{reason="clash"} 2`)
	wantNone(t, text, "\ny_info{")
	if strings.Contains(text, "\nx{") == strings.Contains(text, "\nx_total{") {
		t.Errorf("one of x and x_total must be there:\n%s", text)
	}
}

// A worker that gives a family of ours another type keeps nobody else from reporting it.
func TestATypeCannotBeTaken(t *testing.T) {
	b, _ := board()
	for _, who := range []core.WorkerID{"wrk_bad", "wrk_good"} {
		b.Workers.Connected(who, "h")
	}
	b.Workers.Put("wrk_bad", metrics.Snapshot{Text: "# TYPE berth_worker_containers counter\nberth_worker_containers 1\n# TYPE berth_worker_commands_total gauge\nberth_worker_commands_total 1\nberth_worker_stacks 1\n"})
	b.Workers.Put("wrk_good", metrics.Snapshot{Text: "# TYPE berth_worker_containers gauge\nberth_worker_containers 2\n# TYPE berth_worker_commands_total counter\nberth_worker_commands_total 2\n# TYPE berth_worker_stacks gauge\nberth_worker_stacks 2\n"})
	text := scrape(t, b)
	for _, name := range []string{"containers", "commands_total", "stacks"} {
		wantLines(t, text, "berth_worker_"+name+`{worker="wrk_good",hostname="h"} 2`)
		wantNone(t, text, "berth_worker_"+name+`{worker="wrk_bad"`)
	}
}

// TestWhatOurFamiliesMeanIsNotAWorkersToSay: the first worker to report one does not put its own words above
// everybody's series.
func TestWhatOurFamiliesMeanIsNotAWorkersToSay(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_bad", "h")
	b.Workers.Put("wrk_bad", metrics.Snapshot{Text: "# HELP berth_worker_stacks Call 555-0100 now.\n# TYPE berth_worker_stacks gauge\nberth_worker_stacks 1\n# HELP app_x What the app says.\n# TYPE app_x gauge\napp_x 1\n"})
	text := scrape(t, b)
	wantLines(t, text, "# HELP berth_worker_stacks Stacks that were applied on this worker or have containers on it.", "# HELP app_x What the app says.", `berth_worker_stacks{worker="wrk_bad",hostname="h"} 1`)
	wantNone(t, text, "555-0100")
}

// What scrapers and rules make, and names of which OpenMetrics leaves nothing, are not a worker's to report.
func TestNamesThatAreNotForWorkers(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_1", "h")
	b.Workers.Put("wrk_1", metrics.Snapshot{Text: "# TYPE _info gauge\n_info 1\n# TYPE _total counter\n_total 1\nup 0\nscrape_duration_seconds 9\nALERTS{alertname=\"Fake\"} 1\na:b:c 1\nfine 1\n"})
	text := string(scraped(t, b, metrics.Format{OpenMetrics: true}))
	wantLines(t, text, `fine{worker="wrk_1",hostname="h"} 1`, `berth_metrics_dropped_series_total{reason="clash"} 6`)
	wantNone(t, text, "\n_info{", "\n_total{", "\nup{", "\nscrape_", "\nALERTS", "\na:b", "# TYPE  ")
}

func TestTheLogNamesWhoseSeriesAreDropped(t *testing.T) {
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	var said bytes.Buffer
	b := metrics.NewBoard(metrics.Config{Version: "1", Validator: promtext.Validator{}, Clock: at.read, Process: func() metrics.Process { return metrics.Process{} },
		Log: slog.New(slog.NewTextHandler(&said, nil))})
	b.Workers.Connected("wrk_1", "h")
	for range 30 {
		b.Workers.Put("wrk_1", metrics.Snapshot{Text: "garbage !!\nup 1\nfine 1\n"})
		at.pass(time.Minute)
	}
	if n := strings.Count(said.String(), `worker=wrk_1 hostname=h series="1 clash, 1 unreadable"`); n != 3 {
		t.Errorf("in half an hour it was told %d times:\n%s", n, &said)
	}
}

// Whoever comes first cannot take a name that series of our workers' families have in either format.
func TestNamesOfOurWorkersAreTheirs(t *testing.T) {
	b, _ := board()
	b.Workers.Connected("wrk_bad", "h")
	b.Workers.Put("wrk_bad", metrics.Snapshot{Text: "# TYPE berth_worker gauge\nberth_worker 1\n# TYPE berth_worker_commands gauge\nberth_worker_commands 1\n# TYPE berth_worker_command_duration_seconds_count gauge\nberth_worker_command_duration_seconds_count 1\n"})
	b.Workers.Connected("wrk_good", "h")
	b.Workers.Put("wrk_good", metrics.Snapshot{Text: "# TYPE berth_worker_info gauge\nberth_worker_info 1\n# TYPE berth_worker_commands_total counter\nberth_worker_commands_total 2\n# TYPE berth_worker_command_duration_seconds histogram\nberth_worker_command_duration_seconds_bucket{le=\"+Inf\"} 3\nberth_worker_command_duration_seconds_sum 1\nberth_worker_command_duration_seconds_count 3\n"})
	text := scrape(t, b)
	wantLines(t, text, `berth_worker_info{worker="wrk_good",hostname="h"} 1`, `berth_worker_commands_total{worker="wrk_good",hostname="h"} 2`, `berth_worker_command_duration_seconds_count{worker="wrk_good",hostname="h"} 3`)
	if n := strings.Count(text, `worker="wrk_bad"`); n != 2 { // that it is up, and was seen
		t.Errorf("%d series of the other are there", n)
	}
}

// A worker that reports as much as it can must leave room for others.
func TestWhatOneWorkerMayKeepIsBounded(t *testing.T) {
	b, at := board()
	b.Workers.Connected("wrk_greedy", "h")
	b.Workers.Connected("wrk_honest", "h")
	for i := range 400 {
		at.pass(time.Second)
		b.Workers.Put("wrk_greedy", metrics.Snapshot{Changes: true, Text: fmt.Sprintf("f%d{x=%q} 1\n", i, strings.Repeat("x", 20_000))})
	}
	b.Workers.Put("wrk_honest", metrics.Snapshot{Text: "fine 1\n"})
	text := scrape(t, b)
	if n := len(text); n > 1<<20+100_000 {
		t.Errorf("%d bytes are kept", n)
	}
	wantLines(t, text, `fine{worker="wrk_honest",hostname="h"} 1`)
	for i := range 400 {
		at.pass(time.Second)
		b.Workers.Put("wrk_honest", metrics.Snapshot{Changes: true, Text: fmt.Sprintf("g%d 1\n", i)})
	}
	if n := strings.Count(scrape(t, b), `{worker="wrk_honest",hostname="h"} 1`+"\n"); n > 210 {
		t.Errorf("%d series in as many families are kept", n)
	}
}
