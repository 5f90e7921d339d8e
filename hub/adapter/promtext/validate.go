package promtext

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"berth/core/metrics"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Validator implements metrics.Validator. It holds nothing and is safe for concurrent use.
type Validator struct{}

// Validate implements metrics.Validator.
func (Validator) Validate(text string, labels []metrics.Label) ([]metrics.Family, map[metrics.Reason]int) {
	run := &run{set: labelPairs(labels), room: metrics.MaxSeries, dropped: map[metrics.Reason]int{}}
	text, beyond := cut(text)
	run.drop(metrics.TooMany, beyond)
	parsed, unreadable := parse(text)
	run.drop(metrics.Unreadable, unreadable)
	names := make([]string, 0, len(parsed))
	for name := range parsed {
		names = append(names, name)
	}
	slices.Sort(names)
	families := make([]metrics.Family, 0, len(names))
	for _, name := range names {
		if f, ok := run.family(parsed[name]); ok {
			families = append(families, f)
		}
	}
	return families, run.dropped
}

// run is the validation of one snapshot.
type run struct {
	set     []*dto.LabelPair // set on every series
	room    int              // series that may still come
	out     bytes.Buffer     // of encode
	dropped map[metrics.Reason]int
}

func (r *run) drop(reason metrics.Reason, n int) {
	if n > 0 {
		r.dropped[reason] += n
	}
}

var types = map[dto.MetricType]metrics.Type{
	dto.MetricType_COUNTER: metrics.TypeCounter, dto.MetricType_GAUGE: metrics.TypeGauge, dto.MetricType_HISTOGRAM: metrics.TypeHistogram,
	dto.MetricType_SUMMARY: metrics.TypeSummary, dto.MetricType_UNTYPED: metrics.TypeUntyped,
}

// family keeps what is good of a family and encodes it; false when nothing is.
func (r *run) family(in *dto.MetricFamily) (metrics.Family, bool) {
	kind, known := types[in.GetType()]
	if !known {
		r.drop(metrics.Unreadable, len(in.Metric))
		return metrics.Family{}, false
	}
	kept, lines := in.Metric[:0], 0
	seen := map[string]bool{}
	for _, m := range in.Metric {
		r.relabel(m)
		key := ""
		if len(in.Metric) > 1 { // alone it is no duplicate
			key = keyOf(m)
		}
		n := linesOf(m)
		switch {
		case long(m, in.GetName()):
			r.drop(metrics.TooLarge, n)
		case seen[key]:
			r.drop(metrics.Duplicate, n)
		case !complete(m, kind, in.GetName()):
			r.drop(metrics.Unreadable, n)
		case n > r.room:
			r.drop(metrics.TooMany, n)
		default:
			seen[key] = true
			kept, lines, r.room = append(kept, m), lines+n, r.room-n
		}
	}
	if len(kept) == 0 {
		return metrics.Family{}, false
	}
	body, err := r.encode(&dto.MetricFamily{Name: in.Name, Type: in.Type, Metric: kept})
	if err != nil {
		r.drop(metrics.Unreadable, lines)
		return metrics.Family{}, false
	}
	return metrics.Family{Name: in.GetName(), Type: kind, Help: helpOf(in), Text: body, Series: lines}, true
}

// long reports whether a name or a label of a metric has more bytes than are kept.
func long(m *dto.Metric, name string) bool {
	return len(name) > metrics.MaxLabel || slices.ContainsFunc(m.Label, func(label *dto.LabelPair) bool {
		return len(label.GetName()) > metrics.MaxLabel || len(label.GetValue()) > metrics.MaxLabel
	})
}

// helpOf returns the help text of a family, cut where nobody reads on.
func helpOf(f *dto.MetricFamily) string {
	const limit = 500 // bytes
	help := f.GetHelp()
	return strings.ToValidUTF8(help[:min(len(help), limit)], "")
}

// encode writes the series of a family without its header.
func (r *run) encode(f *dto.MetricFamily) ([]byte, error) {
	r.out.Reset()
	if _, err := expfmt.MetricFamilyToText(&r.out, f); err != nil {
		return nil, err
	}
	_, body, _ := bytes.Cut(r.out.Bytes(), []byte{'\n'}) // the TYPE line; without help there is no other
	return bytes.Clone(body), nil
}

// relabel sets the labels that are not the worker's to choose, and takes its time stamp
// away: a snapshot is shown for longer than a time stamp would be true.
func (r *run) relabel(m *dto.Metric) {
	m.TimestampMs = nil
	m.Label = slices.DeleteFunc(m.Label, func(own *dto.LabelPair) bool {
		return slices.ContainsFunc(r.set, func(set *dto.LabelPair) bool { return set.GetName() == own.GetName() })
	})
	slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
	m.Label = append(slices.Clip(slices.Clone(r.set)), m.Label...)
}

func labelPairs(labels []metrics.Label) []*dto.LabelPair {
	pairs := make([]*dto.LabelPair, len(labels))
	for i, label := range labels {
		pairs[i] = &dto.LabelPair{Name: &label.Name, Value: &label.Value}
	}
	return pairs
}

// keyOf identifies a series within its family.
func keyOf(m *dto.Metric) string {
	var key strings.Builder
	key.Grow(128) // most have less
	for _, label := range m.Label {
		key.WriteString(label.GetName())
		key.WriteByte(0xff) // no valid text contains that byte
		key.WriteString(label.GetValue())
		key.WriteByte(0xff)
	}
	return key.String()
}

// linesOf counts the lines that a metric is encoded as.
func linesOf(m *dto.Metric) int {
	switch {
	case m.Histogram != nil:
		n := len(m.Histogram.Bucket) + 2
		if slices.ContainsFunc(m.Histogram.Bucket, func(b *dto.Bucket) bool { return math.IsInf(b.GetUpperBound(), 1) }) {
			return n
		}
		return n + 1 // the encoder adds the bucket +Inf
	case m.Summary != nil:
		return len(m.Summary.Quantile) + 2
	}
	return 1
}

// complete reports whether a metric has what its type needs. A histogram or summary that
// lost its count or sum would be shown with a zero that nobody reported; a counter below zero, buckets
// and quantiles that do not rise, and an info that is not 1 are what readers of OpenMetrics give up at.
func complete(m *dto.Metric, kind metrics.Type, name string) bool {
	switch kind {
	case metrics.TypeGauge:
		return !strings.HasSuffix(name, "_info") || m.Gauge.GetValue() == 1
	case metrics.TypeCounter:
		return m.Counter != nil && m.Counter.GetValue() >= 0
	case metrics.TypeHistogram:
		h := m.Histogram
		return h != nil && (h.SampleCount != nil || h.SampleCountFloat != nil) && h.SampleSum != nil && rising(h)
	case metrics.TypeSummary:
		return m.Summary != nil && m.Summary.SampleCount != nil && m.Summary.SampleSum != nil && quantiles(m.Summary)
	}
	return true
}

// rising reports whether the buckets of h rise, and what they count does not fall.
func rising(h *dto.Histogram) bool {
	for i, b := range h.Bucket {
		if i > 0 && (!(b.GetUpperBound() > h.Bucket[i-1].GetUpperBound()) || b.GetCumulativeCount() < h.Bucket[i-1].GetCumulativeCount()) {
			return false
		}
	}
	return true
}

// quantiles reports whether those of s rise from 0 to 1.
func quantiles(s *dto.Summary) bool {
	last := -1.0
	for _, q := range s.Quantile {
		if !(q.GetQuantile() > last && q.GetQuantile() >= 0 && q.GetQuantile() <= 1) {
			return false
		}
		last = q.GetQuantile()
	}
	return true
}
