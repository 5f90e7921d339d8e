package metrics

import (
	"io"
	"sync"
)

// piece is about how much is sent at once, in bytes.
const piece = 64 << 10

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2*piece); return &b }}

// giveBack returns a buffer, unless it became very large.
func giveBack(b *[]byte) {
	if cap(*b) <= 8*piece {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// plain writes an exposition as it is.
type plain struct {
	cache  *Cache
	to     io.Writer
	buffer *[]byte
}

func newPlain(c *Cache, to io.Writer) *plain {
	return &plain{cache: c, to: to, buffer: buffers.Get().(*[]byte)}
}

func (p *plain) add(text []byte) error {
	if len(text) < piece {
		*p.buffer = append(*p.buffer, text...)
		return p.flush(piece)
	}
	if err := p.flush(1); err != nil {
		return err
	}
	_, err := p.to.Write(text)
	return err
}

// copy takes what a chunk holds; the lock is not held while it is sent.
func (p *plain) copy(c *chunk) error {
	p.cache.mu.RLock()
	*p.buffer = append(*p.buffer, c.text...)
	p.cache.mu.RUnlock()
	return p.flush(piece)
}

// flush sends what is kept when it is as much as that.
func (p *plain) flush(least int) error {
	if len(*p.buffer) < least {
		return nil
	}
	_, err := p.to.Write(*p.buffer)
	*p.buffer = (*p.buffer)[:0]
	return err
}

func (p *plain) close(err error) error {
	defer giveBack(p.buffer)
	if err == nil {
		err = p.flush(1)
	}
	return err
}
