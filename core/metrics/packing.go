package metrics

import (
	"context"
	"hash/crc32"
	"maps"
	"slices"
	"time"
)

// refresh is how often chunks are compressed anew while somebody scrapes compressed, and asked is
// how long after the last time somebody did.
const (
	refresh = 5 * time.Second
	asked   = 5 * time.Minute
)

// fresh reports whether p may be shown of what was changed so often since, when values may be as old as age.
func (p *packed) fresh(edits, gone uint64, now time.Time, age time.Duration) bool {
	return p != nil && p.gone == gone && (p.edits == edits && !p.behind || now.Sub(p.at) < age)
}

// pack returns a family compressed, as it is now or was age ago; nil when it is too small for that. No lock is held while
// anything is compressed.
func (c *Cache) pack(s *shared, now time.Time, age time.Duration) *packed {
	c.mu.RLock()
	small, kept, chunks, edits, gone := s.size < leastPacked, s.packed, s.chunks, s.edits, s.gone
	c.mu.RUnlock()
	if small {
		return nil
	}
	if kept.fresh(edits, gone, now, age) {
		return kept
	}
	p := &packed{shift: shiftCRC(0), edits: edits, gone: gone, at: now}
	pieces, bytes := make([]*packed, len(chunks)), 0
	for i, chunk := range chunks {
		piece, current := c.packChunk(chunk, now, age)
		if !current { // the family is as old as its oldest piece
			p.behind = true
			if piece.at.Before(p.at) {
				p.at = piece.at
			}
		}
		pieces[i], bytes = piece, bytes+len(piece.blocks)
	}
	p.blocks = make([]byte, 0, bytes)
	for _, piece := range pieces {
		p.append(piece)
	}
	c.keepPacked(s, p, chunks, pieces)
	return p
}

// packChunk returns a chunk compressed, as it is now or was age ago; current says whether it has not changed since.
func (c *Cache) packChunk(chunk *chunk, now time.Time, age time.Duration) (piece *packed, current bool) {
	text := buffers.take()
	defer buffers.giveBack(text)
	c.mu.RLock()
	kept := chunk.packed
	p := &packed{edits: chunk.edits, gone: chunk.gone, at: now}
	fresh := kept.fresh(p.edits, p.gone, now, age)
	if !fresh {
		*text = append(*text, chunk.text...)
	}
	c.mu.RUnlock()
	if fresh {
		return kept, kept.edits == p.edits
	}
	p.size, p.crc = len(*text), crc32.ChecksumIEEE(*text)
	p.shift = shiftCRC(p.size)
	p.blocks = pack(make([]byte, 0, p.size/8), *text)
	return p, true
}

// newer reports whether p was packed of a later state than other, or as a whole of the same one.
func (p *packed) newer(other *packed) bool {
	return p != nil && (p.edits > other.edits || p.edits == other.edits && other.behind && !p.behind)
}

// keepPacked keeps what was compressed of a family, when that is newer than what is kept and there is room. Each chunk's piece is
// a part of it from then on, so that nothing is kept twice.
func (c *Cache) keepPacked(s *shared, p *packed, chunks []*chunk, pieces []*packed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := p.bytes() - s.packed.bytes()
	if s.ended || s.packed.newer(p) || c.bytes+c.pieces+more > c.limit {
		return
	}
	s.packed, c.pieces = p, c.pieces+more
	from := 0
	for i, chunk := range chunks {
		one := *pieces[i]
		one.blocks = p.blocks[from : from+len(one.blocks) : from+len(one.blocks)]
		from += len(one.blocks)
		chunk.packed = &one
	}
}

// Keep compresses what changed, again and again, until ctx ends, so that a scrape that wants it
// compressed has it ready. While nobody scrapes so, it does nothing.
func (c *Cache) Keep(ctx context.Context) {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if c.wanted() {
			c.repack(ctx)
		}
	}
}

// wanted reports whether somebody scraped compressed lately.
func (c *Cache) wanted() bool {
	return c.now().UnixNano()-c.zippedAt.Load() < int64(asked)
}

// repack compresses what is neither small nor as it was.
func (c *Cache) repack(ctx context.Context) {
	c.mu.RLock()
	all := slices.Collect(maps.Values(c.families))
	c.mu.RUnlock()
	for _, family := range all {
		if ctx.Err() != nil {
			return
		}
		c.pack(family, c.now(), 0)
	}
}
