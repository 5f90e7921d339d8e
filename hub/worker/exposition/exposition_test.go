package exposition

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestTextIsReadBackAsWritten(t *testing.T) {
	var text Text
	text.Gauge("app_info", "What \\ runs\nhere.").Add(1, "version", "1.2", "odd", "a\"b\\c\nd\xff")
	counter := text.Counter("app_done_total", "Done.")
	counter.Add(3, "kind", "a")
	counter.Add(0.25, "kind", "b")
	text.Gauge("app_limit", "Limit.").Add(math.Inf(1))
	text.Histogram("app_seconds", "Time.").Distribution([]float64{0.5, 1}, []uint64{2, 1, 4}, 12.5, "kind", "a")

	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	info := families["app_info"]
	if info.GetHelp() != "What \\ runs\nhere." || info.Metric[0].Label[1].GetValue() != "a\"b\\c\nd?" {
		t.Errorf("info is %v", info)
	}
	if done := families["app_done_total"].Metric; len(done) != 2 || done[1].Counter.GetValue() != 0.25 {
		t.Errorf("done is %v", done)
	}
	if limit := families["app_limit"].Metric[0].Gauge.GetValue(); !math.IsInf(limit, 1) {
		t.Errorf("limit is %v", limit)
	}
	h := families["app_seconds"].Metric[0].Histogram
	if h.GetSampleCount() != 7 || h.GetSampleSum() != 12.5 || len(h.Bucket) != 3 || h.Bucket[1].GetCumulativeCount() != 3 {
		t.Errorf("histogram is %v", h)
	}
}

func TestNumbers(t *testing.T) {
	for want, v := range map[string]float64{"0": 0, "-3": -3, "9007199254740991": 1<<53 - 1, "1e+21": 1e21, "0.1": 0.1, "NaN": math.NaN(), "-Inf": math.Inf(-1)} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}
