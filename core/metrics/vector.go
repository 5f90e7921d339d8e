package metrics

import (
	"slices"
	"strings"
	"sync"
)

// maxOwnSeries bounds the label sets of one family of ours. They come from small sets of
// words, so reaching it is a defect that must not grow without bound.
const maxOwnSeries = 500

// vector is one family of the server's own: a value, or a histogram, for each label set. A scrape
// writes numbers behind text that is ready.
type vector struct {
	// Set once.
	name   string
	help   string
	kind   Type
	head   head
	labels []string
	bounds []float64 // upper bounds of the buckets, rising, without +Inf; histograms only
	global bool      // it is of the installation, so it never has the label hub
	own    *Own      // which it is of
	place  int       // in own.all

	mu     sync.Mutex
	series map[string]*series // guarded by mu; by label values, joined
	order  []*series          // guarded by mu; by label values
	stale  bool               // guarded by mu; series changed since they were rendered
	text   []byte             // guarded by mu; all series, as they were rendered last or made elsewhere; never changed, only replaced
	lines  int                // guarded by mu; in text
}

// series is one label set of a vector, guarded by its mu.
type series struct {
	values []string // of the labels, in order
	heads  []string // what stands before the number on each of its lines
	value  float64  // of a counter or gauge; the sum of a histogram
	counts []uint64 // observations in each bucket, not yet summed; the last is +Inf
}

func newVector(own *Own, kind Type, name, help string, labels []string, bounds ...float64) *vector {
	return &vector{own: own, name: name, help: help, kind: kind, head: newHead(name, kind, help), labels: labels, bounds: bounds, series: map[string]*series{}}
}

// at returns the series with these label values; nil when there is no room for another.
// What it returns is about to change. The caller holds mu.
func (v *vector) at(values []string) *series {
	v.turn(true)
	key := strings.Join(values, "\xff") // no valid text contains that byte
	known, found := v.series[key]
	if found {
		return known
	}
	if len(v.series) >= maxOwnSeries {
		v.own.over.Add(1)
		return nil
	}
	fresh := v.fresh(slices.Clone(values))
	v.series[key] = fresh
	place, _ := slices.BinarySearchFunc(v.order, values, func(s *series, values []string) int { return slices.Compare(s.values, values) })
	v.order = slices.Insert(v.order, place, fresh)
	return fresh
}

// turn notes that the family is not what it was, and whether its text is. The caller holds mu.
func (v *vector) turn(stale bool) {
	if !v.stale {
		v.own.turned.add(v.place)
	}
	v.stale = stale
}

// fresh makes a series, with the text that its lines begin with.
func (v *vector) fresh(values []string) *series {
	labels := make([]Label, len(v.labels))
	for i, name := range v.labels {
		labels[i] = Label{name, values[i]}
	}
	s := &series{values: values}
	if v.kind != TypeHistogram {
		s.heads = []string{lineHead(v.name, labels)}
		return s
	}
	s.counts = make([]uint64, len(v.bounds)+1)
	for i := range s.counts {
		bound := "+Inf"
		if i < len(v.bounds) {
			bound = string(appendNumber(nil, v.bounds[i]))
		}
		s.heads = append(s.heads, lineHead(v.name+"_bucket", append(slices.Clip(labels), Label{"le", bound})))
	}
	s.heads = append(s.heads, lineHead(v.name+"_sum", labels), lineHead(v.name+"_count", labels))
	return s
}

// lineHead is a line up to its number.
func lineHead(name string, labels []Label) string {
	return strings.TrimSuffix(string(appendSeries(nil, name, labels, 0)), "0\n")
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
		bucket, _ := slices.BinarySearch(v.bounds, n) // the first bound that is not below n
		s.counts[bucket]++
	}
}

// set gives a gauge without labels its value.
func (v *vector) set(n float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.at(nil).value = n
}

// replace makes the family hold exactly these values of its one label; none ends it.
func (v *vector) replace(values map[string]float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.turn(true)
	clear(v.series)
	v.order = nil
	for label, value := range values {
		if s := v.at([]string{label}); s != nil {
			s.value = value
		}
	}
}

// end takes all series out of the family.
func (v *vector) end() {
	v.put(nil, 0)
}

// put makes the family hold exactly these lines.
func (v *vector) put(text []byte, lines int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.turn(false)
	clear(v.series)
	v.order, v.text, v.lines = nil, text, lines
}

// family returns the vector as text, rendered anew when it changed; the order of its series is stable.
func (v *vector) family() Family {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stale {
		v.render()
	}
	return Family{Name: v.name, Type: v.kind, Help: v.help, Text: v.text, Series: v.lines}
}

// render makes the text anew: a scrape may still be sending the one before. The caller holds mu.
func (v *vector) render() {
	text, lines := make([]byte, 0, len(v.text)+64), 0
	for _, s := range v.order {
		text = s.append(text)
		lines += len(s.heads)
	}
	v.text, v.lines, v.stale = text, lines, false
}

// append adds the lines of a series to b.
func (s *series) append(b []byte) []byte {
	if s.counts == nil {
		return appendLine(b, s.heads[0], s.value)
	}
	total := uint64(0)
	for i, n := range s.counts {
		total += n
		b = appendLine(b, s.heads[i], float64(total))
	}
	b = appendLine(b, s.heads[len(s.counts)], s.value)
	return appendLine(b, s.heads[len(s.counts)+1], float64(total))
}

func appendLine(b []byte, head string, value float64) []byte {
	return append(appendNumber(append(b, head...), value), '\n')
}
