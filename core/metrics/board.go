package metrics

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"berth/core"
	"berth/core/fault"
)

// Board is the Source that stands where the metrics are made: in the hub.
type Board struct {
	Own     *Own   // the server's own families: the hub and the guard write them
	Workers *Cache // what workers report: the hub writes it
}

// Config is what a Board needs.
type Config struct {
	Version   string // of this program
	Validator Validator
	Process   func() Process // figures of this process; cheap, called for each scrape
	Clock     core.Clock
}

// NewBoard returns a Board without workers.
func NewBoard(cfg Config) *Board {
	own := newOwn(cfg.Version, cfg.Process, cfg.Clock)
	return &Board{Own: own, Workers: newCache(cfg.Validator, own, cfg.Clock)}
}

// All implements Source.
func (b *Board) All(ctx context.Context, w io.Writer) error {
	b.Workers.expire()
	return send(ctx, w, func(t text) text { return b.Workers.gather(t, b.Own.families(), "") })
}

// Worker implements Source.
func (b *Board) Worker(ctx context.Context, id core.WorkerID, w io.Writer) error {
	b.Workers.expire()
	if !b.Workers.knows(id) {
		return fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")
	}
	return send(ctx, w, func(t text) text { return b.Workers.gather(t, nil, id) })
}

// text is an exposition in pieces; each stays as it is once it is in here, so that it can
// be sent without a lock.
type text [][]byte

var (
	texts   = sync.Pool{New: func() any { return new(text) }}
	buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 64<<10) }}
)

// send writes what gather collects. Many pieces are short, hence the buffer.
func send(ctx context.Context, w io.Writer, gather func(text) text) error {
	pooled := texts.Get().(*text)
	buffer := buffers.Get().(*bufio.Writer)
	buffer.Reset(w)
	defer func() {
		buffer.Reset(nil)
		clear(*pooled)
		*pooled = (*pooled)[:0]
		buffers.Put(buffer)
		texts.Put(pooled)
	}()
	*pooled = gather(*pooled)
	for i, piece := range *pooled {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := buffer.Write(piece); err != nil {
			return err
		}
	}
	return buffer.Flush()
}

// gather collects own, the server's view of the workers, and what they reported: of all
// workers, or of one.
func (c *Cache) gather(t text, own []Family, only core.WorkerID) text {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if only == "" {
		own = append(own, c.states())
		own = append(own, c.ownOf(c.ids)...)
	} else if _, known := c.workers[only]; known {
		own = append(own, c.ownOf([]core.WorkerID{only})...)
	}
	slices.SortFunc(own, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range c.names {
		for len(own) > 0 && own[0].Name < name {
			t = append(t, header(own[0].Name, own[0].Type, own[0].Help), own[0].Text)
			own = own[1:]
		}
		family := c.families[name]
		parts := family.of(only)
		if len(own) > 0 && own[0].Name == name {
			t = append(t, header(own[0].Name, own[0].Type, own[0].Help), own[0].Text)
			own = own[1:]
		} else if len(parts) > 0 {
			t = append(t, family.header)
		}
		for _, p := range parts {
			t = append(t, p.text)
		}
	}
	for _, f := range own {
		t = append(t, header(f.Name, f.Type, f.Help), f.Text)
	}
	return t
}

// of returns the parts of one worker, or of all when only is empty.
func (s *shared) of(only core.WorkerID) []part {
	if only == "" {
		return s.parts
	}
	i, found := s.find(only)
	if !found {
		return nil
	}
	return s.parts[i : i+1]
}

func (c *Cache) knows(id core.WorkerID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, known := c.workers[id]
	return known
}
