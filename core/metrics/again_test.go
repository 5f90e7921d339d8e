package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"berth/core/metrics"
	"berth/hub/adapter/promtext"
)

// reader is a Validator that counts what it has to read.
type reader struct{ bytes *int }

func (r reader) Validate(text string, labels []metrics.Label) ([]metrics.Family, map[metrics.Reason]int) {
	*r.bytes += len(text)
	return promtext.Validator{}.Validate(text, labels)
}

func TestTheSameSeriesWithOtherNumbersAreNotReadAnew(t *testing.T) {
	read, now := 0, time.Unix(1_700_000_000, 0)
	b := metrics.NewBoard(metrics.Config{Version: "1", Validator: reader{&read}, Clock: func() time.Time { return now }, Process: func() metrics.Process { return metrics.Process{} }})
	b.Workers.Connected("wrk_1", `a "host"`)
	put := func(text string, changes bool) (bytes int) {
		before := read
		now = now.Add(time.Second)
		b.Workers.Put("wrk_1", metrics.Snapshot{Text: text, Changes: changes})
		return read - before
	}
	const whole = "# HELP a Text.\n# TYPE a gauge\na 1\n# HELP b_total More.\n# TYPE b_total counter\nb_total{x=\"1 } 2\",y=\"\\\"\"} 7\nb_total{x=\"2\",y=\"\"} 8\n"
	if n := put(whole, false); n != len(whole) {
		t.Errorf("of what comes for the first time %d bytes were read", n)
	}
	if n := put(strings.NewReplacer(" 7\n", " 7.5\n", " 1\n", " 1e6\n").Replace(whole), false); n != 0 {
		t.Errorf("of the same series again %d bytes were read", n)
	}
	wantLines(t, scrape(t, b), `a{worker="wrk_1",hostname="a \"host\""} 1e+06`, `b_total{worker="wrk_1",hostname="a \"host\"",x="1 } 2",y="\""} 7.5`, `b_total{worker="wrk_1",hostname="a \"host\"",x="2",y=""} 8`)
	const part = "# HELP a Text.\n# TYPE a gauge\na 3\n"
	if n := put(part, true); n != 0 {
		t.Errorf("of a part of them %d bytes were read", n)
	}
	const one = "# HELP b_total More.\n# TYPE b_total counter\nb_total{x=\"2\",y=\"\"} 9\n"
	if n := put(part+one, true); n != len(one) {
		t.Errorf("of a family that lost a series %d bytes were read, and the other needs none", n)
	}
	wantLines(t, scrape(t, b), `a{worker="wrk_1",hostname="a \"host\""} 3`, `b_total{worker="wrk_1",hostname="a \"host\"",x="2",y=""} 9`)
	wantNone(t, scrape(t, b), `x="1 } 2"`)
}

// What was reported before makes no difference to what a snapshot comes to, whatever is in it.
func TestWhatCameBeforeMakesNoDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		first, second := anySnapshot(random), anySnapshot(random)
		if random.IntN(2) == 0 {
			second = altered(random, first)
		}
		fresh, _ := board()
		used, at := board()
		fresh.Workers.Connected("wrk_1", "host")
		used.Workers.Connected("wrk_1", "host")
		used.Workers.Put("wrk_1", metrics.Snapshot{Text: first})
		at.pass(time.Second)
		used.Workers.Put("wrk_1", metrics.Snapshot{Text: second})
		fresh.Workers.Put("wrk_1", metrics.Snapshot{Text: second})
		if want, got := scrapeOne(t, fresh, "wrk_1"), scrapeOne(t, used, "wrk_1"); seriesOf(got) != seriesOf(want) {
			t.Fatalf("after\n%s\nthis\n%s\ncame to\n%s\nand alone to\n%s", first, second, got, want)
		}
	}
}

// seriesOf leaves out the hub's own view, and help that the first who reports a family gives.
func seriesOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "berth_worker_") && !strings.HasPrefix(line, "# HELP") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var (
	numbers = []string{"0", "1", "-1", "1.50", "-0", "1e9", "+3", "123456789", "1E3", "NaN", "+Inf", "0x10", "1_0", "", "x", "1 1700000000000", "1e400", " 2"}
	labels  = []string{"", `{x="1"}`, `{x="2"}`, `{x="1",y="2"}`, `{y="2",x="1"}`, `{x="a } b"}`, `{x="\"\\\n"}`, `{worker="other"}`, `{x="1",}`, `{ x="1"}`, `{}`, `{x="1"`}
	kinds   = []string{"gauge", "counter", "untyped", "histogram", "info"}
)

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

func anySnapshot(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(3) {
		name := pick(random, []string{"a", "b_total", "c_info", "ab"})
		if random.IntN(8) > 0 {
			fmt.Fprintf(&b, "# HELP %s Some text.\n", name)
		}
		if random.IntN(8) > 0 {
			fmt.Fprintf(&b, "# TYPE %s %s\n", name, pick(random, kinds))
		}
		for range random.IntN(4) {
			number := pick(random, numbers[:6])
			if random.IntN(6) == 0 {
				number = pick(random, numbers)
			}
			fmt.Fprintf(&b, "%s%s %s\n", name, pick(random, labels), number)
		}
		if random.IntN(12) == 0 {
			b.WriteString(pick(random, []string{"\n", "# a comment\n", "a 1\n", "noise\n", "a 2\r\n", "a"}))
		}
	}
	return b.String()
}

// altered is a snapshot with another number, or without a line.
func altered(random *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := random.IntN(len(lines))
	if space := strings.LastIndexByte(lines[i], ' '); space > 0 && !strings.HasPrefix(lines[i], "#") && random.IntN(4) > 0 {
		lines[i] = lines[i][:space+1] + pick(random, numbers) + "\n"
	} else if random.IntN(4) == 0 {
		lines[i] = ""
	}
	return strings.Join(lines, "")
}
