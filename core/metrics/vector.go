package metrics

import (
	"slices"
	"strings"
	"sync"
)

// maxOwnSeries bounds the label sets of one family of ours. They come from small sets of
// words, so reaching it is a defect that must not grow without bound.
const maxOwnSeries = 500

// vector is one family of the server's own: a value, or a histogram, for each label set.
type vector struct {
	name    string
	help    string
	kind    Type
	labels  []string
	buckets []float64 // upper bounds, rising, without +Inf; histograms only

	mu     sync.Mutex
	series map[string]*series // by label values, joined
	over   int                // observations that found no room
}

type series struct {
	values []string // of the labels, in order
	value  float64  // of a counter or gauge; the sum of a histogram
	counts []uint64 // observations in each bucket, not yet summed; the last is +Inf
}

func newVector(kind Type, name, help string, labels []string, buckets ...float64) *vector {
	return &vector{name: name, help: help, kind: kind, labels: labels, buckets: buckets, series: map[string]*series{}}
}

// at returns the series with these label values; nil when there is no room for another.
// The caller holds mu.
func (v *vector) at(values []string) *series {
	key := strings.Join(values, "\xff") // no valid text contains that byte
	known, found := v.series[key]
	if found {
		return known
	}
	if len(v.series) >= maxOwnSeries {
		v.over++
		return nil
	}
	fresh := &series{values: slices.Clone(values)}
	if v.kind == TypeHistogram {
		fresh.counts = make([]uint64, len(v.buckets)+1)
	}
	v.series[key] = fresh
	return fresh
}

func (v *vector) add(n float64, values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.at(values); s != nil {
		s.value += n
	}
}

func (v *vector) observe(n float64, values ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.at(values); s != nil {
		s.value += n
		bucket, _ := slices.BinarySearch(v.buckets, n) // the first bound that is not below n
		s.counts[bucket]++
	}
}

// replace makes the family hold exactly these values of its one label.
func (v *vector) replace(values map[string]float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.series)
	for label, value := range values {
		if s := v.at([]string{label}); s != nil {
			s.value = value
		}
	}
}

// family renders the vector; the order of its series is stable.
func (v *vector) family() Family {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := make([]*series, 0, len(v.series))
	for _, s := range v.series {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *series) int { return slices.Compare(a.values, b.values) })
	f := Family{Name: v.name, Type: v.kind, Help: v.help}
	for _, s := range all {
		labels := make([]Label, len(v.labels), len(v.labels)+1)
		for i, name := range v.labels {
			labels[i] = Label{name, s.values[i]}
		}
		if v.kind == TypeHistogram {
			f.Text = v.appendHistogram(f.Text, s, labels)
			f.Series += len(s.counts) + 2
			continue
		}
		f.Text = appendSeries(f.Text, v.name, labels, s.value)
		f.Series++
	}
	return f
}

func (v *vector) appendHistogram(b []byte, s *series, labels []Label) []byte {
	var total uint64
	for i, n := range s.counts {
		total += n
		bound := []byte("+Inf")
		if i < len(v.buckets) {
			bound = appendNumber(nil, v.buckets[i])
		}
		b = appendSeries(b, v.name+"_bucket", append(labels, Label{"le", string(bound)}), float64(total))
	}
	b = appendSeries(b, v.name+"_sum", labels, s.value)
	return appendSeries(b, v.name+"_count", labels, float64(total))
}
