package metrics

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"berth/core"
)

// run is a family as a scrape writes it.
type run struct {
	name   string
	header []byte
	text   []byte   // the server's own series
	chunks []*chunk // what workers report; read under the lock of the Cache
}

// sink is where an exposition goes, as it is or compressed.
type sink interface {
	// add takes text, which does not change.
	add(text []byte) error
	// copy takes what a chunk holds now.
	copy(c *chunk) error
	// close writes all of it, unless there was an error before, and returns the first one.
	close(err error) error
}

// write writes runs in a format.
func (c *Cache) write(ctx context.Context, w io.Writer, f Format, runs []run) error {
	var out sink = newPlain(c, w)
	if size := c.size(runs); f.Gzip && size >= leastGzip {
		c.zippedAt.Store(c.now().UnixNano())
		out = newZipped(c, w, size)
	}
	return out.close(send(ctx, out, f, runs))
}

func send(ctx context.Context, out sink, f Format, runs []run) error {
	for _, r := range runs {
		if err := errors.Join(ctx.Err(), out.add(f.header(r.header)), out.add(r.text)); err != nil {
			return err
		}
		for _, chunk := range r.chunks {
			if err := out.copy(chunk); err != nil {
				return err
			}
		}
	}
	return out.add(f.ending())
}

// size returns about how many bytes of series there are.
func (c *Cache) size(runs []run) (bytes int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range runs {
		bytes += len(r.text)
		for _, chunk := range r.chunks {
			bytes += len(chunk.text)
		}
	}
	return bytes
}

// all returns the families of the server and of all workers.
func (c *Cache) all(own []Family) []run {
	c.mu.RLock()
	defer c.mu.RUnlock()
	own = append(own, c.states())
	runs := make([]run, 0, len(own)+len(c.names))
	for _, name := range c.names {
		f := c.families[name]
		runs = append(runs, run{name: name, header: f.header, chunks: f.chunks})
	}
	return merged(runs, own)
}

// of returns what there is of one worker.
func (c *Cache) of(id core.WorkerID) []run {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var runs []run
	for _, name := range c.names {
		f := c.families[name]
		if text := f.part(id); text != nil {
			runs = append(runs, run{name: name, header: f.header, text: slices.Clone(text)})
		}
	}
	return runs
}

// merged joins own, which it sorts, and runs, which are sorted. Of a family that both have, the server's series
// come first.
func merged(runs []run, own []Family) []run {
	slices.SortFunc(own, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	all := make([]run, 0, len(runs)+len(own))
	for _, f := range own {
		r := run{name: f.Name, header: f.head(), text: f.Text}
		for len(runs) > 0 && runs[0].name < f.Name {
			all, runs = append(all, runs[0]), runs[1:]
		}
		if len(runs) > 0 && runs[0].name == f.Name {
			r.chunks, runs = runs[0].chunks, runs[1:]
		}
		all = append(all, r)
	}
	return append(all, runs...)
}
