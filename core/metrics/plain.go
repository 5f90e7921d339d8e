package metrics

import (
	"io"
	"sync"
)

// Sizes of what is sent at once, in bytes: a piece that is as long as large goes as it is, shorter ones
// are joined until they are as long as piece.
const (
	piece = 64 << 10
	large = 16 << 10
)

// Sized is a writer that wants to be told, before the first byte, how many will come. It spares
// the chunked coding of an HTTP answer.
type Sized interface {
	Size(bytes int)
}

// Gathering is a writer that takes an exposition as the pieces that it lies in. The list is the writer's, who reads
// the pieces until it returns and changes none. It spares copies, and a call of the system for each.
type Gathering interface {
	WriteParts(parts [][]byte) error
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2*piece); return &b }}

// giveBack returns a buffer, unless it became very large.
func giveBack(b *[]byte) {
	if cap(*b) <= 8*piece {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// lists are those of the pieces of an exposition: making one for each scrape would be most of a scrape's garbage.
var lists = sync.Pool{New: func() any { l := make([][]byte, 0, 512); return &l }}

// plain writes an exposition as it is: first it notes the pieces, none of which changes any more, then it
// knows how long they are together and sends them.
type plain struct {
	cache *Cache
	to    io.Writer
	parts *[][]byte
	size  int
}

func newPlain(c *Cache, to io.Writer) *plain {
	return &plain{cache: c, to: to, parts: lists.Get().(*[][]byte)}
}

func (p *plain) add(text []byte) error {
	if len(text) > 0 {
		*p.parts, p.size = append(*p.parts, text), p.size+len(text)
	}
	return nil
}

func (p *plain) copy(c *chunk) error {
	p.cache.mu.RLock()
	text := c.show()
	p.cache.mu.RUnlock()
	return p.add(text)
}

func (p *plain) close(err error) error {
	defer func() {
		clear(*p.parts)
		*p.parts = (*p.parts)[:0]
		lists.Put(p.parts)
	}()
	if err != nil || p.size == 0 {
		return err
	}
	if sized, wants := p.to.(Sized); wants {
		sized.Size(p.size)
	}
	if gathering, can := p.to.(Gathering); can {
		return gathering.WriteParts(*p.parts)
	}
	buffer := buffers.Get().(*[]byte)
	defer giveBack(buffer)
	for _, part := range *p.parts {
		if err := p.send(buffer, part); err != nil {
			return err
		}
	}
	return p.flush(buffer)
}

// send writes a part, or keeps it in the buffer while that is short.
func (p *plain) send(buffer *[]byte, part []byte) error {
	if len(part) < large {
		*buffer = append(*buffer, part...)
		if len(*buffer) < piece {
			return nil
		}
		return p.flush(buffer)
	}
	if err := p.flush(buffer); err != nil {
		return err
	}
	_, err := p.to.Write(part)
	return err
}

func (p *plain) flush(buffer *[]byte) error {
	if len(*buffer) == 0 {
		return nil
	}
	_, err := p.to.Write(*buffer)
	*buffer = (*buffer)[:0]
	return err
}
