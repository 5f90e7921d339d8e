// Package exposition owns how a worker writes its metrics: the Prometheus text format,
// version 0.0.4, families kept together, HELP and TYPE first. It knows nothing of what
// is measured. Start with Text.
package exposition

import (
	"math"
	"strconv"
	"strings"
)

// Text is an exposition in the making. The families of one Text have different names.
type Text struct{ out strings.Builder }

// Family is one metric family; its samples are written before the next family begins.
type Family struct {
	text *Text
	name string
}

// Gauge begins a family of gauges.
func (t *Text) Gauge(name, help string) *Family { return t.family(name, help, "gauge") }

// Counter begins a family of counters; its name ends in _total.
func (t *Text) Counter(name, help string) *Family { return t.family(name, help, "counter") }

// Histogram begins a family of histograms.
func (t *Text) Histogram(name, help string) *Family { return t.family(name, help, "histogram") }

func (t *Text) family(name, help, kind string) *Family {
	t.out.WriteString("# HELP " + name + " " + escape(help, false) + "\n# TYPE " + name + " " + kind + "\n")
	return &Family{t, name}
}

// Add writes one sample; labels are names and values, in turn.
func (f *Family) Add(value float64, labels ...string) { f.sample("", value, labels) }

// Distribution writes one histogram: counts are the numbers of observations up to each
// bound, not cumulated, with one more for those above the last.
func (f *Family) Distribution(bounds []float64, counts []uint64, sum float64, labels ...string) {
	total := uint64(0)
	for i, bound := range bounds {
		total += counts[i]
		f.sample("_bucket", float64(total), append(labels[:len(labels):len(labels)], "le", number(bound)))
	}
	total += counts[len(bounds)]
	f.sample("_bucket", float64(total), append(labels[:len(labels):len(labels)], "le", "+Inf"))
	f.sample("_sum", sum, labels)
	f.sample("_count", float64(total), labels)
}

func (f *Family) sample(suffix string, value float64, labels []string) {
	out := &f.text.out
	out.WriteString(f.name + suffix)
	for i := 0; i+1 < len(labels); i += 2 {
		if i == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		out.WriteString(labels[i] + `="` + escape(labels[i+1], true) + `"`)
	}
	if len(labels) > 1 {
		out.WriteByte('}')
	}
	out.WriteString(" " + number(value) + "\n")
}

// String returns the exposition.
func (t *Text) String() string { return t.out.String() }

func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var (
	helpEscapes  = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, `"`, `\"`)
)

func escape(s string, label bool) string {
	s = strings.ToValidUTF8(s, "?")
	if label {
		return labelEscapes.Replace(s)
	}
	return helpEscapes.Replace(s)
}
