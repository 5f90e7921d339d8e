package metrics

import (
	"context"
	"hash/crc32"
	"time"
)

// refresh is how often chunks are compressed anew while somebody scrapes compressed, and asked is
// how long after the last time somebody did.
const (
	refresh = 5 * time.Second
	asked   = 5 * time.Minute
)

// fresh reports whether what was packed of a chunk may be shown when values may be as old as age. The
// caller holds mu.
func (c *chunk) fresh(now time.Time, age time.Duration) bool {
	p := c.packed
	return p != nil && p.gone == c.gone && (p.edits == c.edits || now.Sub(p.at) < age)
}

// pack returns a chunk compressed, as it is or was age ago. When it is too small for that, its text is
// added to loose instead. No lock is held while anything is compressed.
func (c *Cache) pack(chunk *chunk, age time.Duration, loose *[]byte) *packed {
	now := c.now()
	c.mu.RLock()
	if small := len(chunk.text) < leastPacked; small || chunk.fresh(now, age) {
		defer c.mu.RUnlock()
		if !small {
			return chunk.packed
		}
		*loose = append(*loose, chunk.text...)
		return nil
	}
	text := buffers.Get().(*[]byte)
	defer giveBack(text)
	*text = append(*text, chunk.text...)
	p := &packed{size: len(*text), edits: chunk.edits, gone: chunk.gone, at: now}
	c.mu.RUnlock()
	p.crc, p.shift = crc32.ChecksumIEEE(*text), shiftCRC(p.size)
	p.blocks = pack(make([]byte, 0, p.size/8), *text, mostStored)
	c.keepPacked(chunk, p)
	return p
}

// keepPacked keeps what was compressed of a chunk, when that is newer than what is kept and there is room.
func (c *Cache) keepPacked(chunk *chunk, p *packed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	more := p.bytes() - chunk.packed.bytes()
	if chunk.apart || chunk.packed != nil && chunk.packed.edits > p.edits || c.bytes+c.pieces+more > c.limit {
		return
	}
	chunk.packed, c.pieces = p, c.pieces+more
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
	var loose []byte
	for _, r := range c.all(nil) {
		for _, chunk := range r.chunks {
			if ctx.Err() != nil {
				return
			}
			c.pack(chunk, 0, &loose)
			loose = loose[:0]
		}
	}
}
