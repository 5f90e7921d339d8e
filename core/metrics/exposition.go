package metrics

import (
	"context"
	"io"
	"slices"

	"berth/core"
)

// run is a family as a scrape writes it.
type run struct {
	name   string
	head   head
	text   []byte   // the server's own series
	whole  []byte   // head and text in the text format, one after the other; nil: not made
	global bool     // it never has the label hub
	of     *shared  // what workers report; nil: nothing
	chunks []*chunk // of it; read under the lock of the Cache
}

// sink is where an exposition goes, as it is or compressed. It notes what is to be sent; close sends it.
type sink interface {
	// add takes text, which does not change.
	add(text []byte)
	// copy takes what workers report of a family now.
	copy(r run)
	// close writes all of it, unless there was an error before, and returns the first one.
	close(err error) error
}

// write writes runs in a format.
func (c *Cache) write(ctx context.Context, w io.Writer, f Format, runs []run) error {
	out := c.sink(w, f, runs)
	return out.close(send(ctx, out, f, runs))
}

// addOwn adds what stands before the series of workers.
func (r run) addOwn(out sink, f Format) {
	text := r.text
	switch {
	case f.Hub != "" && !r.global:
		text = labelled(text, f.Hub)
	case !f.OpenMetrics && r.whole != nil:
		out.add(r.whole)
		return
	}
	out.add(r.head.in(f))
	out.add(text)
}

func (c *Cache) sink(w io.Writer, f Format, runs []run) sink {
	size := c.size(runs)
	if !f.Gzip || size < leastGzip {
		return newPlain(c, w)
	}
	c.zippedAt.Store(c.now().UnixNano())
	return newZipped(c, w, size)
}

func send(ctx context.Context, out sink, f Format, runs []run) error {
	for _, r := range runs {
		r.addOwn(out, f)
		if r.of != nil {
			out.copy(r)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	out.add(f.ending())
	return nil
}

// size returns about how many bytes of series there are.
func (c *Cache) size(runs []run) (bytes int) {
	for _, r := range runs {
		bytes += len(r.text)
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return bytes + c.text
}

// of returns what there is of one worker.
func (c *Cache) of(id core.WorkerID) []run {
	c.mu.RLock()
	defer c.mu.RUnlock()
	w, known := c.workers[id]
	if !known {
		return nil
	}
	var runs []run
	for _, name := range c.names {
		f := c.families[name]
		if text := f.part(w.rank); text != nil {
			runs = append(runs, run{name: name, head: f.head, text: slices.Clone(text)})
		}
	}
	return runs
}
