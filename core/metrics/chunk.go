package metrics

import (
	"slices"
	"sync/atomic"
)

// Sizes beyond which a chunk is cut in two.
const (
	maxChunk = 64 << 10 // bytes
	maxParts = 512
)

// rank is the place of a worker in the order in which the Cache came to know them. It stands for the worker wherever there is
// something of each in each family: names would take four times the memory, and the garbage collector would follow them all.
type rank uint32

// chunk is a run of neighbouring parts of one family, one after the other in one piece of memory,
// so that a scrape sends a few large pieces instead of many small ones. A part is what one worker
// reports of the family. The lock of the Cache guards it.
type chunk struct {
	workers []rank   // rising
	ends    []uint32 // where the part of each worker ends in text
	text    []byte
	shown   atomic.Bool // a scrape may be sending text: it is not changed in place any more
	edits   uint64      // how often text was changed
	gone    uint64      // edits after which what was there before must not be shown any more
	packed  *packed     // text as it was compressed last, a part of what its family keeps; nil: not yet
}

// show returns the text as it is now. What is returned does not change.
func (c *chunk) show() []byte {
	c.shown.Store(true)
	return c.text
}

// find returns where the part of a worker is, or belongs.
func (c *chunk) find(w rank) (int, bool) { return slices.BinarySearch(c.workers, w) }

// at returns where part i begins and ends.
func (c *chunk) at(i int) (from, to int) {
	if i > 0 {
		from = int(c.ends[i-1])
	}
	return from, int(c.ends[i])
}

// part returns the text of part i.
func (c *chunk) part(i int) []byte {
	from, to := c.at(i)
	return c.text[from:to]
}

// insert adds a part before part i.
func (c *chunk) insert(i int, w rank, text []byte) (changed bool) {
	from := uint32(0)
	if i > 0 {
		from = c.ends[i-1]
	}
	c.workers = slices.Insert(c.workers, i, w)
	c.ends = slices.Insert(c.ends, i, from)
	return c.replace(i, text)
}

// replace changes part i, and reports whether it was another one. What does not change costs nothing.
func (c *chunk) replace(i int, text []byte) (changed bool) {
	from, to := c.at(i)
	if string(c.text[from:to]) == string(text) {
		return false
	}
	c.edits++
	if c.shown.Swap(false) {
		c.text = slices.Clone(c.text)
	}
	c.text = slices.Replace(c.text, from, to, text...)
	if longer := len(text) - (to - from); longer != 0 {
		for j := i; j < len(c.ends); j++ {
			c.ends[j] = uint32(int(c.ends[j]) + longer)
		}
	}
	return true
}

// remove takes part i away.
func (c *chunk) remove(i int) {
	c.replace(i, nil)
	c.workers = slices.Delete(c.workers, i, i+1)
	c.ends = slices.Delete(c.ends, i, i+1)
	c.gone = c.edits
}

// large reports whether the chunk should be cut in two.
func (c *chunk) large() bool {
	return len(c.workers) > 1 && (len(c.text) > maxChunk || len(c.workers) > maxParts)
}

// halves returns the parts of c in two chunks. c stays as it is: a scrape may be reading it.
func (c *chunk) halves() (*chunk, *chunk) {
	half := len(c.workers) / 2
	_, end := c.at(half - 1)
	a := &chunk{workers: slices.Clone(c.workers[:half]), ends: slices.Clone(c.ends[:half]), text: slices.Clone(c.text[:end])}
	b := &chunk{workers: slices.Clone(c.workers[half:]), ends: slices.Clone(c.ends[half:]), text: slices.Clone(c.text[end:])}
	for i := range b.ends {
		b.ends[i] -= uint32(end)
	}
	return a, b
}
